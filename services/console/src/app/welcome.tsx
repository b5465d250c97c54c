import { Button, Failure, Loading } from '../ui/index.js';

interface WelcomeProps {
  signIn?: () => void;
  problem?: string | undefined;
}

/**
 * Page for users who are not signed in. It shows a button for the sign-in, the error of a failed sign-in, or that the
 * session is loading.
 */
export function Welcome({ signIn, problem }: WelcomeProps) {
  return (
    <main className="welcome">
      <title>Sign in · Tocsin</title>
      <img src="/favicon.svg" alt="" width={48} height={48} />
      <h1>Tocsin</h1>
      <p className="muted">Delivers alerts to webhooks.</p>
      {problem !== undefined && <Failure error={new Error(problem)} />}
      {signIn !== undefined && (
        <Button kind="primary" onPress={signIn}>
          Sign in
        </Button>
      )}
      {signIn === undefined && problem !== undefined && (
        <Button onPress={() => window.location.reload()}>Try again</Button>
      )}
      {signIn === undefined && problem === undefined && <Loading what="your session" />}
    </main>
  );
}

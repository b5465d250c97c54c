import { isRouteErrorResponse, Link, useRouteError } from 'react-router';
import { Button, Failure } from '../ui/index.js';

/** Shown instead of a page that failed. A page whose script is missing belongs to an earlier version of the console. */
export function ErrorPage() {
  const error = useRouteError();
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFoundPage />;
  return (
    <div className="stack">
      <title>Error · Tocsin</title>
      <h1>This page does not work</h1>
      <Failure error={error instanceof Error ? error : new Error(String(error))} />
      <p>
        The cause can be an update of Tocsin since you opened the page.{' '}
        <Button onPress={() => window.location.reload()}>Load it again</Button>
      </p>
    </div>
  );
}

export function NotFoundPage() {
  return (
    <div className="stack">
      <title>Not found · Tocsin</title>
      <h1>There is no such page</h1>
      <p>
        The address may be incomplete. <Link to="/">Go to your workspace.</Link>
      </p>
    </div>
  );
}

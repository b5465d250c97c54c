import { isRouteErrorResponse, Link, useRouteError } from 'react-router';
import { Button, Failure } from '../ui/index.js';

/**
 * Page that is shown instead of a page that failed, for example because the script of that page could not be loaded
 * after an update of the console. A button reloads the console.
 */
export function ErrorPage() {
  const error = useRouteError();
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFoundPage />;
  return (
    <div className="stack">
      <title>Error · Tocsin</title>
      <h1>This page could not be shown</h1>
      <Failure error={error instanceof Error ? error : new Error(String(error))} />
      <p>
        The cause can be an update of Tocsin since you opened the page.{' '}
        <Button onPress={() => window.location.reload()}>Reload</Button>
      </p>
    </div>
  );
}

export function NotFoundPage() {
  return (
    <div className="stack">
      <title>Not found · Tocsin</title>
      <h1>Page not found</h1>
      <p>
        The address may be incomplete. <Link to="/">Go to your workspace.</Link>
      </p>
    </div>
  );
}

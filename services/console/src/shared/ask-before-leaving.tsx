import { useEffect } from 'react';
import { useBlocker } from 'react-router';
import { Button, Dialog } from '../ui/index.js';

/**
 * Asks for confirmation before the user leaves the page, within the console or to another site. `when` is true while
 * the page has unsaved changes. It stays true while a form is being saved, because saving can fail. A change of only
 * the query needs no confirmation, and neither does a navigation that replaces the entry in the browser history. The
 * console replaces the entry after it has saved a form or deleted a resource, when nothing is left to save.
 */
export function AskBeforeLeaving({ when }: { when: boolean }) {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation, historyAction }) =>
      when && historyAction !== 'REPLACE' && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (!when) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [when]);
  return (
    <Dialog
      title="Leave without saving?"
      role="alertdialog"
      isOpen={blocker.state === 'blocked'}
      onClose={() => blocker.reset?.()}
      actions={
        <>
          <Button onPress={() => blocker.reset?.()}>Stay</Button>
          <Button kind="danger" onPress={() => blocker.proceed?.()}>
            Leave
          </Button>
        </>
      }
    >
      <p>Your changes are not saved.</p>
    </Dialog>
  );
}

import { useEffect } from 'react';
import { useBlocker } from 'react-router';
import { Button, Dialog } from '../ui/index.js';

/**
 * Asks for confirmation before the user leaves the page with unsaved changes, within the console or to another site. A
 * navigation that replaces the address needs no confirmation: the console does this after a deletion and after a saved
 * form, when there is nothing left to save. While a form is being saved, `when` stays true, because this can fail.
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

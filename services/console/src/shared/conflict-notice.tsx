import { useState } from 'react';
import { Button, Notice } from '../ui/index.js';

export interface ConflictNoticeProps {
  conflict: Error;
  onOverwrite(): void;
  onDiscard(): void;
}

/**
 * Message that another user changed the edited record, with the choice between the two versions. The choice removes the
 * message, so the focus then returns to the element that had it when the message appeared, usually the save button.
 */
export function ConflictNotice({ conflict, onOverwrite, onDiscard }: ConflictNoticeProps) {
  const [focused] = useState(() => document.activeElement);
  const choose = (act: () => void) => () => {
    if (focused instanceof HTMLElement) focused.focus();
    act();
  };
  return (
    <Notice tone="bad" role="alert">
      <p>{`${conflict.message} Your changes are not saved yet.`}</p>
      <div className="row">
        <Button onPress={choose(onOverwrite)}>Overwrite their changes</Button>
        <Button onPress={choose(onDiscard)}>Discard my changes</Button>
      </div>
    </Notice>
  );
}

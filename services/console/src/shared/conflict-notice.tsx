import { Button, Notice } from '../ui/index.js';

export interface ConflictNoticeProps {
  conflict: Error;
  onOverwrite(): void;
  onDiscard(): void;
}

/** Message that another user changed the edited record, with the choice between the two versions. */
export function ConflictNotice({ conflict, onOverwrite, onDiscard }: ConflictNoticeProps) {
  return (
    <Notice tone="bad">
      <p>{`${conflict.message} Your changes are not saved yet.`}</p>
      <div className="row">
        <Button onPress={onOverwrite}>Overwrite their changes</Button>
        <Button onPress={onDiscard}>Discard my changes</Button>
      </div>
    </Notice>
  );
}

import { useState } from 'react';
import { Button, ExactTime, RelativeTime, SelectField, useNow } from '../ui/index.js';
import './shared.css';

export interface HoldUntilProps {
  /** Words for the start and the end, for example `Pause` and `End the pause`. */
  action: string;
  endAction: string;
  /** Effect in a sentence. */
  effect: string;
  /** End of the present hold, ISO 8601, also one that is over; null without any. */
  until: string | null;
  isPending: boolean;
  /** Undefined where the person may not change it: a present hold is shown, and nothing else. */
  onChange: ((until: string | null) => void) | undefined;
}

const hourMs = 3_600_000;
/** The API refuses more than 7 days ahead; its clock can be behind that of the browser. */
const lengths = [
  { value: String(hourMs), label: '1 hour' },
  { value: String(8 * hourMs), label: '8 hours' },
  { value: String(24 * hourMs), label: '1 day' },
  { value: String(7 * 24 * hourMs - 60_000), label: '7 days' },
];

/** Holds something back for a time that the person chooses, or ends that. */
export function HoldUntil({ action, endAction, effect, until, isPending, onChange }: HoldUntilProps) {
  const [lengthMs, setLengthMs] = useState(String(hourMs));
  const now = useNow();
  if (until !== null && Date.parse(until) > now) {
    return (
      <div className="row">
        <span>
          {effect} It ends <RelativeTime at={until} />, at <ExactTime at={until} />.
        </span>
        {onChange !== undefined && (
          <Button isPending={isPending} onPress={() => onChange(null)}>
            {endAction}
          </Button>
        )}
      </div>
    );
  }
  if (onChange === undefined) return null;
  return (
    <div className="row hold">
      <SelectField label={`${action} for`} value={lengthMs} options={lengths} onChange={setLengthMs} />
      <Button
        isPending={isPending}
        onPress={() => onChange(new Date(Date.now() + Number(lengthMs)).toISOString())}
      >
        {action}
      </Button>
      <span className="muted">{effect}</span>
    </div>
  );
}

import { useState } from 'react';
import { Button, ExactTime, RelativeTime, SelectField, useNow } from '../ui/index.js';
import './shared.css';

interface PauseOrSilenceWords {
  /** Label of the button that starts the pause or silence. */
  action: string;
  endAction: string;
  effect: string;
}

const words: Readonly<Record<'pause' | 'silence', PauseOrSilenceWords>> = {
  pause: {
    action: 'Pause',
    endAction: 'End the pause',
    effect: 'Deliveries wait during a pause, and are sent after it.',
  },
  silence: {
    action: 'Silence',
    endAction: 'End the silence',
    effect: 'Alerts are only recorded during a silence.',
  },
};

export interface PauseOrSilenceProps {
  kind: keyof typeof words;
  /** End of the latest pause or silence, ISO 8601, possibly in the past. Null if there is none. */
  until: string | null;
  isPending: boolean;
  /**
   * Called with the end that the user has chosen, ISO 8601, or with null to end the pause or silence now. Undefined if
   * the user may not change the pause or silence. The component then shows it only until its end.
   */
  onChange: ((until: string | null) => void) | undefined;
}

const hourMs = 3_600_000;
/**
 * Lengths of a pause or silence, in milliseconds. The API accepts an end of at most 7 days from now. The last length is
 * one minute shorter, because the clock of the API can be behind the clock of the browser.
 */
const lengths = [
  { value: String(hourMs), label: '1 hour' },
  { value: String(8 * hourMs), label: '8 hours' },
  { value: String(24 * hourMs), label: '1 day' },
  { value: String(7 * 24 * hourMs - 60_000), label: '7 days' },
];

/** Pauses a webhook or silences a rule for a chosen time, or ends a running pause or silence. */
export function PauseOrSilence({ kind, until, isPending, onChange }: PauseOrSilenceProps) {
  const { action, endAction, effect } = words[kind];
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
            {isPending ? 'Saving …' : endAction}
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
        {isPending ? 'Saving …' : action}
      </Button>
      <span className="muted">{effect}</span>
    </div>
  );
}

import { TextField } from '../ui/index.js';

export interface TimeFieldsProps {
  since: string | undefined;
  until: string | undefined;
  onChange(changes: { since?: string | undefined; until?: string | undefined }): void;
}

/** Fields for a time range, in local time. The values are ISO 8601 in UTC. */
export function TimeFields({ since, until, onChange }: TimeFieldsProps) {
  return (
    <>
      <TextField
        label="From"
        type="datetime-local"
        value={toLocal(since)}
        onChange={(value) => onChange({ since: fromLocal(value) })}
      />
      <TextField
        label="Before"
        type="datetime-local"
        value={toLocal(until)}
        onChange={(value) => onChange({ until: fromLocal(value) })}
      />
    </>
  );
}

/** Converts ISO 8601 to the format of `datetime-local`: local time to the minute, without a time zone. */
function toLocal(time: string | undefined): string {
  const date = new Date(time ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function fromLocal(value: string): string | undefined {
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

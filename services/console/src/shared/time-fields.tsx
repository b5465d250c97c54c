import { type Search, TextField } from '../ui/index.js';

/** Two fields for a time range, shown in local time. The values in the address are ISO 8601 in UTC. */
export function TimeFields({ search: { values, set } }: { search: Search<'since' | 'until'> }) {
  return (
    <>
      <TextField
        label="From"
        type="datetime-local"
        value={toLocal(values.since)}
        onChange={(value) => set({ since: fromLocal(value) })}
      />
      <TextField
        label="Before"
        type="datetime-local"
        value={toLocal(values.until)}
        onChange={(value) => set({ until: fromLocal(value) })}
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

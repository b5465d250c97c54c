import { AddressField, type Search } from '../ui/index.js';

/** Two fields for a time range, shown in local time. The values in the address are ISO 8601 in UTC. */
export function TimeFields({ search: { values, set } }: { search: Search<'since' | 'until'> }) {
  return (
    <>
      <AddressField
        label="From"
        type="datetime-local"
        format={timeFormat}
        value={toLocal(values.since)}
        onChange={(value) => set({ since: fromLocal(value) })}
      />
      <AddressField
        label="Before"
        type="datetime-local"
        format={timeFormat}
        value={toLocal(values.until)}
        onChange={(value) => set({ until: fromLocal(value) })}
      />
    </>
  );
}

/** While a user types the year 2026, the field has the years 2, 20 and 202, which are no useful filters. */
const timeFormat = { pattern: /^[12]\d{3}-/, hint: 'In the time zone of this browser.' };

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

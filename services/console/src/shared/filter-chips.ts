import { formatExact } from '../ui/format-time.js';

export interface FilterChip<Name extends string> {
  name: Name;
  text: string;
}

/** For each filter, by its name, a function that converts the filter's value to the text of its chip. */
export type ChipTexts<Name extends string> = Readonly<Record<Name, (value: string) => string>>;

/** Returns the names and texts of the active filters, in the order of `texts`. */
export function chipsOf<Name extends string>(
  values: Partial<Record<Name, string>>,
  texts: ChipTexts<Name>,
): FilterChip<Name>[] {
  return (Object.keys(texts) as Name[]).flatMap((name) => {
    const value = values[name];
    return value === undefined ? [] : [{ name, text: texts[name](value) }];
  });
}

/** Chip texts of the time filters, for example `from 23 Nov 2026, 08:00:00 UTC`. */
export const timeTexts: ChipTexts<'since' | 'until'> = {
  since: (time) => `from ${formatExact(Date.parse(time))}`,
  until: (time) => `before ${formatExact(Date.parse(time))}`,
};

/** Chip texts of the filters for labels and models of alerts. */
export const alertSearchTexts: ChipTexts<'label' | 'model_id'> = {
  label: (label) => `label ${label}`,
  model_id: (id) => `model ${id.slice(0, 8)}`,
};

/** One header line of a request: a name that is used twice has two rows. */
export interface HeaderRow {
  readonly name: string;
  readonly value: string;
  /** Identifies the row while it is edited. */
  readonly key: number;
}

type Headers = Readonly<Record<string, readonly string[]>>;

/** Headers whose values are shown as they are. All others can hold a credential. */
const plainHeaders: ReadonlySet<string> = new Set(['content-type', 'accept']);

/** Tells whether the value of a header is masked until it is asked for. The API redacts these values in responses. */
export function isSecretHeader(name: string): boolean {
  return name.trim() !== '' && !plainHeaders.has(name.trim().toLowerCase());
}

/** Returns a row for each value. A name without values, which sends nothing, has no row. */
export function toRows(headers: Headers): HeaderRow[] {
  const lines = Object.entries(headers).flatMap(([name, values]) => values.map((value) => ({ name, value })));
  return lines.map((line, key) => ({ ...line, key }));
}

/** Returns the headers of the API: rows without name and value are left out, values of one name stay together. */
export function toHeaders(rows: readonly HeaderRow[]): Record<string, string[]> {
  const headers = new Map<string, string[]>();
  for (const { name, value } of rows) {
    if (name.trim() === '' && value === '') continue;
    const values = headers.get(name.trim());
    if (values === undefined) headers.set(name.trim(), [value]);
    else values.push(value);
  }
  return Object.fromEntries(headers);
}

/** Returns the rows with one empty row more. */
export function withEmptyRow(rows: readonly HeaderRow[]): HeaderRow[] {
  return [...rows, { name: '', value: '', key: Math.max(-1, ...rows.map(({ key }) => key)) + 1 }];
}

/** Problems of the rows by their key, in words: those that the object of headers cannot express. */
export function rowProblems(rows: readonly HeaderRow[]): ReadonlyMap<number, string> {
  const problems = new Map<number, string>();
  const spellings = new Map<string, string>();
  for (const { name, value, key } of rows) {
    const trimmed = name.trim();
    if (trimmed === '') {
      if (value !== '') problems.set(key, 'This value needs the name of a header.');
      continue;
    }
    const spelling = spellings.get(trimmed.toLowerCase());
    if (spelling === undefined) spellings.set(trimmed.toLowerCase(), trimmed);
    else if (spelling !== trimmed) problems.set(key, `Write this name as above: ${spelling}.`);
  }
  return problems;
}

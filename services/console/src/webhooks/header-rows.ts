/** One header line of a request. A header with two values has two rows. */
export interface HeaderRow {
  readonly name: string;
  readonly value: string;
  /** Stable React key of the row. */
  readonly key: number;
}

type Headers = Readonly<Record<string, readonly string[]>>;

/** Headers whose values are never masked. The values of all other headers can be credentials. */
const plainHeaders: ReadonlySet<string> = new Set(['content-type', 'accept']);

/** Returns true if the value of a header is masked by default. Tocsin also redacts these values in stored responses. */
export function isSecretHeader(name: string): boolean {
  return name.trim() !== '' && !plainHeaders.has(name.trim().toLowerCase());
}

/** Returns one row for each value of each header. A header without values is not sent, so it has no row. */
export function toRows(headers: Headers): HeaderRow[] {
  const lines = Object.entries(headers).flatMap(([name, values]) => values.map((value) => ({ name, value })));
  return lines.map((line, key) => ({ ...line, key }));
}

/** Returns the headers in the format of the API. Empty rows are left out, and the values of each name are grouped. */
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

/** Returns the rows with an empty row at the end. */
export function withEmptyRow(rows: readonly HeaderRow[]): HeaderRow[] {
  return [...rows, { name: '', value: '', key: Math.max(-1, ...rows.map(({ key }) => key)) + 1 }];
}

/**
 * Returns error messages by row key for rows that cannot be converted: a value without a name, or a name that differs
 * from an earlier one only in upper and lower case.
 */
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

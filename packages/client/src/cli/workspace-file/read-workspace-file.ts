import { type Check, createCheck } from '@tocsin/contracts';
import { type Document, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { CommandFailure, exitCodes } from '../exit-codes.js';
import { type WebhookEntry, type WorkspaceFile, workspaceFileSchema } from './file-schema.js';
import { hasBadVariable } from './variables.js';

/** An error in a file. `path` is a JSON pointer to the invalid value. */
export interface FileFault {
  path: string;
  message: string;
}

export interface ReadFile {
  content: WorkspaceFile;
  /** Throws a CommandFailure with the given errors and their lines in the file. */
  fail(faults: FileFault[]): never;
  /** Returns the number of the line, counted from 1, that contains the value of a JSON pointer. */
  lineOf(path: string): number;
}

/**
 * Reads a workspace file: YAML 1.2 without aliases and custom tags.
 * @throws CommandFailure with at most 20 errors of the file and their lines
 */
export function readWorkspaceFile(text: string, name: string): ReadFile {
  const lines = new LineCounter();
  const fail = (faults: { line: number; message: string }[]): never => {
    const inOrder = [...faults].sort((a, b) => a.line - b.line);
    const shown = inOrder.slice(0, maxFaults).map(({ line, message }) => `${name}:${line}: ${message}`);
    if (faults.length > maxFaults) shown.push(`and ${faults.length - maxFaults} more`);
    throw new CommandFailure(exitCodes.invalid, shown.join('\n'));
  };
  const document = parse(text, { lines, fail });
  const lineOf = (path: string) => lines.linePos(offsetOf(document, path)).line;
  const failAt = (faults: FileFault[]) =>
    fail(faults.map(({ path, message }) => ({ line: lineOf(path), message: `${labelOf(path)}${message}` })));
  check ??= createCheck(workspaceFileSchema);
  const checked = check(document.toJS());
  if (!checked.ok) return failAt(checked.errors);
  const faults = faultsOf(checked.value);
  return faults.length > 0 ? failAt(faults) : { content: checked.value, fail: failAt, lineOf };
}

/** The check is created on first use, because this takes 50 ms and most commands do not need it. */
let check: Check<WorkspaceFile> | undefined;

const maxFaults = 20;

function parse(
  text: string,
  { lines, fail }: { lines: LineCounter; fail: (faults: { line: number; message: string }[]) => never },
): Document {
  const at = (offset: number) => lines.linePos(offset).line;
  const tooDeep = () => fail([{ line: 1, message: 'is nested too deeply' }]);
  let document: Document;
  try {
    document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      logLevel: 'error',
    }) as Document;
  } catch (error) {
    // The parser is recursive, so deep nesting overflows the stack. The parser then throws a RangeError, or adds an
    // error to `document.errors`.
    if (error instanceof RangeError) return tooDeep();
    throw error;
  }
  if (document.errors.some(({ message }) => message.includes('Maximum call stack'))) return tooDeep();
  const faults = [...document.errors, ...document.warnings].map(({ pos, message }) => ({
    line: at(pos[0]),
    message: message.split('\n')[0]!,
  }));
  if (faults.length > 0) return fail(faults);
  // A few aliases that refer to each other can expand to gigabytes, so aliases are rejected.
  visit(document, {
    Alias: (_, { range }) => {
      faults.push({ line: at(range?.[0] ?? 0), message: 'aliases are not supported; repeat the value' });
    },
  });
  return faults.length > 0 ? fail(faults) : document;
}

/**
 * Returns the offset in the file of the value that a JSON pointer names. For a member of an object, this is the offset
 * of its name. If the value is missing, returns the offset of its closest existing ancestor.
 */
function offsetOf({ contents }: Document, path: string): number {
  let offset = contents?.range?.[0] ?? 0;
  let node: unknown = contents;
  for (const step of path.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    const found = childOf(node, name);
    if (found === undefined) break;
    offset = found.place?.range?.[0] ?? offset;
    node = found.value;
  }
  return offset;
}

function childOf(node: unknown, name: string): { place: Node | null; value: unknown } | undefined {
  if (isSeq(node)) {
    const value = node.items[Number(name)] as Node | undefined;
    return value && { place: value, value };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === name);
  return pair && { place: pair.key as Node, value: pair.value };
}

/** Converts a JSON pointer to a text for error messages, such as "webhooks 3, url: ". Entries are counted from 1. */
function labelOf(path: string): string {
  const [, list, index, ...field] = path.split('/');
  if (list === undefined) return '';
  const entry = index !== undefined && /^\d+$/.test(index) ? ` ${Number(index) + 1}` : '';
  const rest = entry === '' && index !== undefined ? [index, ...field] : field;
  return `${[`${list}${entry}`, ...(rest.length > 0 ? [rest.join('.')] : [])].join(', ')}: `;
}

/** Finds the errors that the JSON Schema cannot express. */
function faultsOf({ namespace, webhooks = [], alert_rules: rules = [] }: WorkspaceFile): FileFault[] {
  return [
    ...idFaults(namespace, webhooks, '/webhooks'),
    ...idFaults(namespace, rules, '/alert_rules'),
    ...webhooks.flatMap((webhook, index) => variableFaults(webhook, `/webhooks/${index}`)),
  ];
}

function idFaults(
  namespace: string,
  entries: readonly { id?: string; external_id?: string }[],
  path: string,
): FileFault[] {
  const seen = new Map<string, number>();
  return entries.flatMap((entry, index) =>
    (['external_id', 'id'] as const).flatMap((name): FileFault[] => {
      const value = entry[name];
      if (value === undefined) return [];
      const place = `${path}/${index}/${name}`;
      const first = seen.get(`${name} ${value}`);
      if (first !== undefined) return [{ path: place, message: `is also that of entry ${first + 1}` }];
      seen.set(`${name} ${value}`, index);
      const isForeign = name === 'external_id' && value.includes('/') && !value.startsWith(`${namespace}/`);
      return isForeign
        ? [{ path: place, message: `belongs to another namespace: it does not begin with ${namespace}/` }]
        : [];
    }),
  );
}

const badVariable = 'has a "${" that is no variable: write ${NAME}, or $${ for the text ${';

function variableFaults({ url, headers = {} }: WebhookEntry, path: string): FileFault[] {
  const places = [
    { path: `${path}/url`, values: [url] },
    ...Object.entries(headers).map(([name, values]) => ({
      path: `${path}/headers/${name}`,
      values: [values].flat(),
    })),
  ];
  return places
    .filter(({ values }) => values.some(hasBadVariable))
    .map(({ path }) => ({ path, message: badVariable }));
}

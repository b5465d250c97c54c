import { CompileFailure } from '../failures.js';
import { nearest } from '../nearest.js';

/** Tags that start a statement. */
export const knownTags: readonly string[] = [
  'autoescape',
  'block',
  'call',
  'filter',
  'for',
  'if',
  'macro',
  'print',
  'raw',
  'set',
  'with',
];
const loaderTags: ReadonlySet<string> = new Set(['extends', 'include', 'import', 'from']);

/** The open tags at the current token, innermost last. */
interface Nesting {
  readonly openTags: readonly string[];
  /** For each open tag, the tags that can end its body. */
  readonly endTags: readonly (readonly string[])[];
}

export function unknownTag(tag: string, nesting: Nesting, offset: number): CompileFailure {
  if (loaderTags.has(tag)) {
    return new CompileFailure(
      `'${tag}' is not available: a template cannot use other templates, there is no loader`,
      offset,
    );
  }
  const suggestion = nearest(tag, [...(nesting.endTags.at(-1) ?? []), ...knownTags]);
  const message = describeNesting(`Encountered unknown tag '${tag}'.`, nesting, tag);
  return new CompileFailure(message, offset, { suggestion });
}

export function unexpectedEnd(nesting: Nesting, offset: number): CompileFailure {
  return new CompileFailure(describeNesting('Unexpected end of template.', nesting, null), offset);
}

/** Appends Jinja2's hints about open tags to a message. */
function describeNesting(start: string, { openTags, endTags }: Nesting, tag: string | null): string {
  const parts = [start];
  const expected = endTags.at(-1) ?? [];
  if (expected.length > 0) {
    const list = expected.map((name) => `'${name}'`).join(' or ');
    parts.push(
      tag !== null && endTags.some((tags) => tags.includes(tag))
        ? `You probably made a nesting mistake: currently looking for ${list}.`
        : `Looking for the following tags: ${list}.`,
    );
  }
  const innermost = openTags.at(-1);
  if (innermost !== undefined) parts.push(`The innermost block that needs to be closed is '${innermost}'.`);
  return parts.join(' ');
}

/** A ready-made template from `docs/templates`. */
export interface ReadyTemplate {
  /** File name without extensions, for example `chat-service`. */
  readonly id: string;
  readonly title: string;
  /** One sentence that describes what the destination does with the body. */
  readonly summary: string;
  /** Address of the destination, with placeholders. */
  readonly url: string;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** Description of the value that replaces each placeholder. */
  readonly placeholders: Readonly<Record<string, string>>;
  /** The template without its first comment. That comment is JSON with the other members, except `id`. */
  readonly body: string;
}

type Metadata = Omit<ReadyTemplate, 'id' | 'body'>;

/** Parses a file of `docs/templates`. The README of that folder describes the format of the files. */
export function parseReadyTemplate(path: string, source: string): ReadyTemplate {
  const id = (path.split('/').at(-1) ?? path).replace(/(\.json)?\.j2$/, '');
  const comment = /^\{#([\s\S]*?)#\}\s*/.exec(source);
  if (comment === null) throw new Error(`${path} does not start with a comment that describes it.`);
  const { title, summary, url, headers, placeholders } = JSON.parse(comment[1] ?? '') as Metadata;
  return { id, title, summary, url, headers, placeholders, body: source.slice(comment[0].length).trimEnd() };
}

/**
 * Returns the placeholders that occur in at least one of the texts, each with the description of the value that
 * replaces it.
 */
export function openPlaceholders(
  placeholders: ReadyTemplate['placeholders'],
  texts: readonly string[],
): [placeholder: string, replacement: string][] {
  return Object.entries(placeholders).filter(([name]) => texts.some((text) => text.includes(name)));
}

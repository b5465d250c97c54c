/** Approximate display of a body at its destination, derived from the shape of the body, for example a chat message. */
export interface Picture {
  readonly kind: 'chat message' | 'issue' | 'incident' | 'e-mail' | 'event';
  readonly title: string;
  /** Short texts below the title, for example a priority. */
  readonly badges: readonly string[];
  readonly parts: readonly PicturePart[];
}

export type PicturePart =
  | { readonly type: 'text'; readonly lines: readonly Span[][] }
  | { readonly type: 'facts'; readonly facts: readonly (readonly Span[][])[] }
  | { readonly type: 'line' };

/** A piece of a line of text whose characters have the same style. */
export interface Span {
  readonly text: string;
  readonly style: 'plain' | 'bold' | 'italic' | 'code' | 'link';
}

/** Returns the picture of a rendered body (the parsed JSON), or undefined if the shape of the body is unknown. */
export function pictureOf(body: unknown): Picture | undefined {
  if (!isObject(body)) return undefined;
  for (const recognize of [
    blocksMessage,
    cardMessage,
    issue,
    pagerEvent,
    mail,
    cloudEvent,
    incident,
    message,
  ]) {
    const picture = recognize(body);
    if (picture !== undefined) return picture;
  }
  return undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Recognises a chat message that consists of blocks: headers, sections with text or fields, context lines and dividers.
 */
function blocksMessage({ blocks, text }: Fields): Picture | undefined {
  if (!Array.isArray(blocks)) return undefined;
  const shown = blocks.filter(isObject).slice(0, maxParts);
  const header = shown.find(({ type }) => type === 'header');
  const parts = shown.filter((block) => block !== header).flatMap(blockParts);
  return { kind: 'chat message', title: textOf(header?.text ?? text), badges: [], parts };
}

function blockParts({ type, text, fields, elements }: Fields): PicturePart[] {
  if (type === 'divider') return [{ type: 'line' }];
  if (type === 'context') return arrayOf(elements).map((element) => markedPart(textOf(element)));
  const facts = arrayOf(fields).map((field) => markedLines(textOf(field)));
  return [
    ...(text === undefined ? [] : [markedPart(textOf(text))]),
    ...(facts.length === 0 ? [] : [{ type: 'facts' as const, facts }]),
  ];
}

/** Recognises a chat message with an adaptive card. The card contains text blocks and sets of facts. */
function cardMessage({ attachments }: Fields): Picture | undefined {
  const [attachment] = arrayOf(attachments).filter(isObject);
  const card = attachment?.content;
  if (!isObject(card) || card.type !== 'AdaptiveCard') return undefined;
  const [first, ...others] = arrayOf(card.body).filter(isObject).slice(0, maxParts);
  const parts = others.map((element): PicturePart => {
    const facts = arrayOf(element.facts).filter(isObject);
    if (facts.length === 0) return markedPart(textOf(element));
    return factsPart(facts.map((fact) => [textOf(fact.title), textOf(fact.value)]));
  });
  return { kind: 'chat message', title: textOf(first), badges: [], parts };
}

/** Recognises a request that creates an issue: it has `fields` with a `summary`. */
function issue({ fields }: Fields): Picture | undefined {
  if (!isObject(fields) || typeof fields.summary !== 'string') return undefined;
  const { summary, project, issuetype, priority, labels, description } = fields;
  const badges = [nameOf(project), nameOf(issuetype), nameOf(priority), ...arrayOf(labels).map(textOf)];
  return {
    kind: 'issue',
    title: summary,
    badges: present(badges),
    parts: paragraphsOf(description).map(plainPart),
  };
}

/** Returns the texts of the paragraphs of a structured document. A string counts as one paragraph. */
function paragraphsOf(description: unknown): string[] {
  if (typeof description === 'string') return [description];
  if (!isObject(description)) return [];
  const paragraphs = arrayOf(description.content).filter(isObject).slice(0, maxParts);
  return paragraphs.map(({ content }) => arrayOf(content).map(textOf).join(''));
}

/** Recognises an event for a paging service. It has a payload with a summary, or the name of an affected entity. */
function pagerEvent(body: Fields): Picture | undefined {
  const { payload, event_action, message_type, entity_display_name, state_message, labels } = body;
  if (isObject(payload) && typeof payload.summary === 'string') {
    const badges = [event_action, payload.severity, payload.source].map(textOf);
    return incidentOf(payload.summary, { badges, details: payload.custom_details });
  }
  if (typeof entity_display_name !== 'string') return undefined;
  const text = textOf(state_message);
  return incidentOf(entity_display_name, { badges: [textOf(message_type)], text, details: labels });
}

function incident({
  title,
  status,
  severity,
  priority,
  description,
  metadata,
  details,
}: Fields): Picture | undefined {
  const badges = present([status, severity, priority].map(textOf));
  if (typeof title !== 'string' || badges.length === 0) return undefined;
  return incidentOf(title, { badges, text: textOf(description), details: metadata ?? details });
}

function incidentOf(
  title: string,
  { badges, text = '', details }: { badges: readonly string[]; text?: string; details: unknown },
): Picture {
  const parts = [...present([text]).map(plainPart), ...detailParts(details)];
  return { kind: 'incident', title, badges: present(badges), parts };
}

function mail({ subject, to, personalizations, text, content }: Fields): Picture | undefined {
  if (typeof subject !== 'string' || (to ?? personalizations) === undefined) return undefined;
  const groups = [to, ...arrayOf(personalizations).map((group) => (isObject(group) ? group.to : undefined))];
  const address = present(groups.flatMap(arrayOrOne).map(addressOf)).join(', ');
  const texts = [text, ...arrayOf(content).map((part) => (isObject(part) ? part.value : part))].map(textOf);
  return {
    kind: 'e-mail',
    title: subject,
    badges: present([address && `to ${address}`]),
    parts: present(texts).slice(0, 1).map(plainPart),
  };
}

function cloudEvent({ specversion, type, source, data }: Fields): Picture | undefined {
  if (specversion === undefined) return undefined;
  return { kind: 'event', title: textOf(type), badges: present([textOf(source)]), parts: detailParts(data) };
}

/** Recognises a chat message that is a single text, in the member `text` or `content`. */
function message({ text, content }: Fields): Picture | undefined {
  const words = textOf(text) || textOf(content);
  return words === ''
    ? undefined
    : { kind: 'chat message', title: '', badges: [], parts: [markedPart(words)] };
}

/**
 * Maximum number of parts in the approximate display of a body, and maximum number of characters of the text in one
 * part. Only the start of a long body is displayed.
 */
const maxParts = 30;
const maxText = 2_000;

function detailParts(values: unknown): PicturePart[] {
  if (!isObject(values)) return [];
  const entries = Object.entries(values).filter(([, value]) => typeof value !== 'object' && value !== '');
  return entries.length === 0
    ? []
    : [factsPart(entries.slice(0, maxParts).map(([name, value]) => [name, String(value)]))];
}

function factsPart(facts: readonly (readonly [name: string, value: string])[]): PicturePart {
  return {
    type: 'facts',
    facts: facts.map(([name, value]) => [[{ text: name, style: 'bold' }], [plain(value)]]),
  };
}

function plainPart(text: string): PicturePart {
  return {
    type: 'text',
    lines: text
      .slice(0, maxText)
      .split('\n')
      .map((line) => [plain(line)]),
  };
}

function markedPart(text: string): PicturePart {
  return { type: 'text', lines: markedLines(text) };
}

/** Parses chat formatting (`*bold*`, `_italic_`, `` `code` ``, `<address|title>`) into styled parts, line by line. */
export function markedLines(text: string): Span[][] {
  return text.slice(0, maxText).split('\n').map(spansOf);
}

const marks =
  /\*{1,2}([^*\n]{1,300})\*{1,2}|(?<!\w)_([^_\n]{1,300})_(?!\w)|`([^`\n]{1,300})`|<(https?:[^<>\n]{1,300})>/g;

function spansOf(line: string): Span[] {
  const spans: Span[] = [];
  let end = 0;
  const add = (text: string, style: Span['style']) => {
    if (text !== '') spans.push({ text: unescaped(text), style });
  };
  for (const found of line.matchAll(marks)) {
    const [whole, strong, emphasis, code, link] = found;
    add(line.slice(end, found.index), 'plain');
    if (strong !== undefined) add(strong, 'bold');
    else if (emphasis !== undefined) add(emphasis, 'italic');
    else if (code !== undefined) add(code, 'code');
    else add(link?.split('|').at(-1) ?? '', 'link');
    end = found.index + whole.length;
  }
  add(line.slice(end), 'plain');
  return spans;
}

/** Decodes the three characters that chat services escape in formatted text. */
function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

function plain(text: string): Span {
  return { text, style: 'plain' };
}

/**
 * Converts a string, a number, a boolean or an object with a `text` member to text. Returns an empty text for all other
 * values.
 */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return isObject(value) && typeof value.text === 'string' ? value.text : '';
}

function nameOf(value: unknown): string {
  return isObject(value) ? textOf(value.key) || textOf(value.name) : '';
}

function addressOf(value: unknown): string {
  return isObject(value) ? textOf(value.email) || textOf(value.address) : textOf(value);
}

function present(texts: readonly string[]): string[] {
  return texts.filter((text) => text !== '');
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function arrayOrOne(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

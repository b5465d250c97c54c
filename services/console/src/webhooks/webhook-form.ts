import type { CreateWebhook, PatchWebhook, Webhook } from '@tocsin/client/browser';
import {
  defaultOptions,
  fromOptionTexts,
  type OptionTexts,
  optionAt,
  toOptionTexts,
} from './delivery-options.js';
import { type HeaderRow, toHeaders, toRows } from './header-rows.js';

/** The fields of the editor, as the user typed them. */
export interface WebhookForm {
  readonly name: string;
  readonly url: string;
  readonly headers: readonly HeaderRow[];
  /** The template, with LF as line ending. */
  readonly body: string;
  readonly enabled: boolean;
  readonly retryOnTimeout: boolean;
  readonly options: OptionTexts;
}

export const emptyForm: WebhookForm = {
  name: '',
  url: '',
  headers: toRows({ 'Content-Type': ['application/json'] }),
  body: '',
  enabled: true,
  retryOnTimeout: true,
  options: defaultOptions,
};

export function toForm(webhook: Webhook): WebhookForm {
  const { name, url, headers, body, enabled, retry_on_timeout } = webhook;
  return {
    name,
    url,
    headers: toRows(headers),
    body: body.replace(/\r\n?/g, '\n'),
    enabled,
    retryOnTimeout: retry_on_timeout,
    options: toOptionTexts(webhook),
  };
}

/** The fields of an API request that the form can set. */
type WebhookFields = CreateWebhook &
  Required<Pick<CreateWebhook, 'name' | 'url' | 'headers' | 'body' | 'enabled' | 'retry_on_timeout'>>;

/**
 * Returns all fields in the format of the API. If one option is invalid, all options are left out, because
 * `fromOptionTexts` then returns only errors.
 */
export function toCreate(form: WebhookForm): WebhookFields {
  const { name, url, headers, body, enabled, retryOnTimeout } = form;
  const options = fromOptionTexts(form.options);
  return {
    name: name.trim(),
    url: url.trim(),
    headers: toHeaders(headers),
    body,
    enabled,
    retry_on_timeout: retryOnTimeout,
    ...('fields' in options ? options.fields : {}),
  };
}

/** Returns the fields that differ from those of the loaded webhook, in the format of the API. */
export function toPatch(form: WebhookForm, loaded: WebhookForm): PatchWebhook {
  const before: Readonly<Record<string, unknown>> = { ...toCreate(loaded) };
  const changed = Object.entries(toCreate(form)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  );
  return Object.fromEntries(changed);
}

/** Error messages of the API by form field. */
export interface FieldErrors {
  readonly name?: string;
  readonly url?: string;
  readonly headers?: string;
  /** Error messages of the headers, by header name in lower case. */
  readonly headerNames: ReadonlyMap<string, string>;
  readonly body?: string;
  readonly options: Partial<Record<keyof OptionTexts, string>>;
  /** Messages that belong to no field of the form. */
  readonly other: readonly string[];
}

/** Assigns the errors of a `validation_failed` response to form fields by their JSON pointers. */
export function toFieldErrors(errors: readonly { path: string; message: string }[]): FieldErrors {
  const fields: Record<'name' | 'url' | 'headers' | 'body', string[]> = {
    name: [],
    url: [],
    headers: [],
    body: [],
  };
  const headerNames = new Map<string, string>();
  const options: Partial<Record<keyof OptionTexts, string>> = {};
  const other: string[] = [];
  for (const { path, message } of errors) {
    const [, field = '', part] = path.split('/').map(unescapePointer);
    const option = optionAt(field, part);
    if (option !== undefined) options[option] ??= sentence([message]);
    else if (field === 'headers' && part !== undefined) headerNames.set(part.toLowerCase(), message);
    else if (isField(field)) fields[field].push(message);
    else other.push(path === '' ? message : `${path}: ${message}`);
  }
  const texts = Object.entries(fields).filter(([, messages]) => messages.length > 0);
  return {
    ...Object.fromEntries(texts.map(([name, messages]) => [name, sentence(messages)])),
    headerNames,
    options,
    other,
  };
}

function isField(name: string): name is 'name' | 'url' | 'headers' | 'body' {
  return name === 'name' || name === 'url' || name === 'headers' || name === 'body';
}

function sentence(messages: readonly string[]): string {
  const text = messages.join('. ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

import { fileURLToPath } from 'node:url';
import nunjucks from 'nunjucks';
import type { ReceivedRequest } from './inbox/request-log.js';

/** Values of each page in `infra/local/pages`. */
export interface Pages {
  'sign-in': { title: string; action: string; clientName: string; error?: string };
  /** `form` is the provider's own markup with its CSRF token. `error` tells why the page is shown again. */
  'user-code-input': { title: string; form: string; error?: string };
  'user-code-confirm': { title: string; form: string; clientName: string; userCode: string };
  /** `form` is the provider's own markup with its CSRF token. */
  'sign-out': { title: string; form: string };
  message: { title: string; message: string };
  inbox: { title: string; requests: readonly ReceivedRequest[] };
}

/** Renders a page of our own as HTML. Every value is escaped, and no page loads anything from elsewhere. */
export function renderPage<Name extends keyof Pages>(name: Name, values: Pages[Name]): string {
  const environment = new nunjucks.Environment(new nunjucks.FileSystemLoader(directory), {
    autoescape: true,
  });
  return environment.render(`${name}.njk`, values);
}

/** `infra/local/pages`: the same relative path from `src` and from `dist`. */
const directory = fileURLToPath(new URL('../pages/', import.meta.url));

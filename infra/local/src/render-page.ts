import { fileURLToPath } from 'node:url';
import nunjucks from 'nunjucks';
import type { ReceivedRequest } from './inbox/request-log.js';

/** Values of each page template in `infra/local/pages`. */
export interface Pages {
  'sign-in': { title: string; action: string; clientName: string; error?: string };
  /**
   * `form` is an HTML form that oidc-provider generates, with a CSRF token. `error` is the reason why the page is shown
   * again.
   */
  'user-code-input': { title: string; form: string; error?: string };
  'user-code-confirm': { title: string; form: string; clientName: string; userCode: string };
  /** `form` is an HTML form that oidc-provider generates, with a CSRF token. */
  'sign-out': { title: string; form: string };
  message: { title: string; message: string };
  inbox: { title: string; requests: readonly ReceivedRequest[] };
}

/** Renders a page as HTML. Every value except `form` is escaped, and no page loads resources from other sites. */
export function renderPage<Name extends keyof Pages>(name: Name, values: Pages[Name]): string {
  const environment = new nunjucks.Environment(new nunjucks.FileSystemLoader(directory), {
    autoescape: true,
  });
  return environment.render(`${name}.njk`, values);
}

/** Path of `infra/local/pages`. The relative path is equal in `src` and `dist`. */
const directory = fileURLToPath(new URL('../pages/', import.meta.url));

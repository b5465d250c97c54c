/** Creates a minimal browser for logins: it keeps cookies, follows redirects and submits the first form of a page. */
function createBrowser() {
  const cookies = new Map<string, string>();

  const request = async (url: URL, init: RequestInit = {}): Promise<{ url: URL; html: string }> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location !== null) return request(new URL(location, url));
    return { url, html: await response.text() };
  };

  return {
    open: (url: string) => request(new URL(url)),
    /** Submits the page's form. `fields` replaces the values of the form's own fields. */
    submit({ url, html }: { url: URL; html: string }, fields: Record<string, string> = {}) {
      const action = /<form[^>]*action="([^"]*)"/.exec(html)?.[1] ?? '';
      const body = new URLSearchParams();
      for (const [tag] of html.matchAll(/<input[^>]*>/g)) {
        const name = /name="([^"]*)"/.exec(tag)?.[1];
        if (name !== undefined) body.set(name, /value="([^"]*)"/.exec(tag)?.[1] ?? '');
      }
      for (const [name, value] of Object.entries(fields)) body.set(name, value);
      return request(new URL(action.replaceAll('&#38;', '&').replaceAll('&amp;', '&'), url), {
        method: 'POST',
        body,
      });
    },
  };
}

/** Confirms the code of a device and signs in, as a person would. */
export async function signInDevice(options: {
  verificationUri: string;
  username: string;
  password: string;
  deny?: boolean;
}): Promise<string> {
  const browser = createBrowser();
  let page = await browser.open(options.verificationUri);
  for (let step = 0; step < 6; step += 1) {
    if (!page.html.includes('<form')) return page.html;
    const signIn = page.html.includes('name="password"');
    const { username, password } = options;
    if (signIn) page = await browser.submit(page, { username, password });
    else if (options.deny && page.html.includes('name="abort"')) {
      return (await browser.submit(page, { abort: 'yes' })).html;
    } else page = await browser.submit(page);
  }
  throw new Error(`The sign-in did not end: ${page.html}`);
}

/**
 * Creates a minimal browser that signs in: it stores cookies, follows redirects within the provider, and submits
 * forms. It does not load `consoleUri`, to which the provider redirects at the end.
 */
export function createBrowser({ consoleUri }: { consoleUri: string }) {
  const cookies = new Map<string, string>();
  let url = '';
  let html = '';
  let left = '';
  const go = async (target: string, init: RequestInit = {}): Promise<void> => {
    url = new URL(target, url || undefined).href;
    if (url.startsWith(consoleUri)) {
      left = url;
      return;
    }
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    html = await response.text();
    const location = response.headers.get('location');
    if (location !== null) await go(location);
  };
  return {
    open: (target: string) => go(target),
    submit: (fields: Record<string, string>) => {
      const action = /<form[^>]* action="([^"]+)"/.exec(html)?.[1] ?? url;
      const hidden = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
      const body = new URLSearchParams([
        ...hidden.map(([, name = '', value = '']) => [name, value] as [string, string]),
        ...Object.entries(fields),
      ]);
      return go(action, { method: 'POST', body });
    },
    page: () => html,
    leftFor: () => left,
  };
}

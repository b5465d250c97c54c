/** The three pages of the sign-in, plain HTML that loads nothing. */

export interface SignInPage {
  action: string;
  clientName: string;
  error?: string;
}

export function renderSignIn({ action, clientName, error }: SignInPage): string {
  return renderPage(
    'Sign in',
    `${error === undefined ? '' : `<p class="error" role="alert">${escapeHtml(error)}</p>`}
    <p>to continue to <b>${escapeHtml(clientName)}</b></p>
    <form method="post" action="${escapeHtml(action)}">
      <label>User name <input name="username" autocomplete="username" required autofocus></label>
      <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
      <button type="submit">Sign in</button>
    </form>
    <p class="hint">The users and their passwords are in <code>.tocsin/stack.json</code>.</p>`,
  );
}

/** `form` is the provider's own markup with its cross-site token; `error` says why it is shown again. */
export function renderUserCodeInput(form: string, error?: string): string {
  return renderPage(
    'Connect a device',
    `${error === undefined ? '<p>Enter the code that your device shows.</p>' : `<p class="error" role="alert">${escapeHtml(error)}</p>`}
    ${form}
    <button type="submit" form="op.deviceInputForm">Continue</button>`,
  );
}

export function renderUserCodeConfirm(form: string, clientName: string, userCode: string): string {
  return renderPage(
    'Connect a device',
    `<p><b>${escapeHtml(clientName)}</b> asks to act for you. It should show this code:</p>
    <p class="code">${escapeHtml(userCode)}</p>
    ${form}
    <button type="submit" form="op.deviceConfirmForm" autofocus>Continue</button>
    <button type="submit" form="op.deviceConfirmForm" name="abort" value="yes">Refuse</button>`,
  );
}

export function renderMessage(title: string, message: string): string {
  return renderPage(title, `<p>${escapeHtml(message)}</p>`);
}

function renderPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Tocsin</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 22rem; margin: 4rem auto; padding: 0 1rem; color: #222; }
  label { display: block; margin: 0.75rem 0; }
  input { display: block; width: 100%; box-sizing: border-box; padding: 0.5rem; font: inherit; }
  button { padding: 0.5rem 1rem; font: inherit; }
  .code { font: 1.75rem ui-monospace, monospace; }
  .error { color: #a40000; }
  .hint { color: #666; font-size: 0.875rem; }
</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`;
}

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

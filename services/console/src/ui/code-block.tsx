/** Shows a request or response body as text. JSON is indented. */
export function CodeBlock({ label, text }: { label: string; text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard.
    <figure className="code-block" tabIndex={0}>
      <figcaption>{label}</figcaption>
      <pre>{indentJson(text)}</pre>
    </figure>
  );
}

/** Maximum length of JSON that is indented, in characters. Parsing a longer text would block the page noticeably. */
const longestJson = 100_000;

function indentJson(text: string): string {
  if (text.length > longestJson || !/^\s*[{[]/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

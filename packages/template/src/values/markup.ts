/** Who vouches for a Markup: `html` is escaped for HTML only, `json` may be printed into JSON as it is. */
export type MarkupKind = 'html' | 'json' | 'marked';

/**
 * A string that is not escaped again, as markupsafe's. With JSON-safe output there is a difference between text
 * that is safe as HTML (what `escape` gives) and text that is safe in JSON (what `tojson` and `safe` give); a
 * `marked` one is a captured piece of a template, in which the template's own characters are marked (see
 * `json/marked-text.ts`) and everything else is still to be escaped.
 */
export class Markup {
  readonly text: string;
  readonly kind: MarkupKind;

  constructor(text: string, kind: MarkupKind) {
    this.text = text;
    this.kind = kind;
  }
}

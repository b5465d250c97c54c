/** The context in which text is safe: `html` is escaped for HTML only, `json` is printed into JSON unchanged. */
export type MarkupKind = 'html' | 'json' | 'marked';

/**
 * A string that is not escaped again, like markupsafe's Markup. Text from the filter `escape` is safe in HTML; text
 * from `tojson` and `safe` is safe in JSON. `marked` text was captured by a macro or a block: the template's own
 * characters are marked (see `json/marked-text.ts`), everything else is escaped when it is printed.
 */
export class Markup {
  readonly text: string;
  readonly kind: MarkupKind;

  constructor(text: string, kind: MarkupKind) {
    this.text = text;
    this.kind = kind;
  }
}

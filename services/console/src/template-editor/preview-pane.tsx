import { useMemo } from 'react';
import type { Inspection } from './inspect-template.js';
import { pictureOf } from './picture.js';
import { PictureView } from './picture-view.js';
import { problemRange } from './problem-range.js';

/**
 * Shows the rendered body. If the shape of the body is known, the pane also contains a picture of how the destination
 * would approximately display the body.
 */
export function PreviewPane({ inspection, isEmpty }: { inspection: Inspection; isEmpty: boolean }) {
  const { output, fault } = inspection;
  const picture = useMemo(
    () => (output === null || fault !== undefined ? undefined : pictureOf(JSON.parse(output))),
    [output, fault],
  );
  return (
    <section className="preview" aria-label="Preview">
      <h3>Preview</h3>
      <p className="muted">{isEmpty ? 'The rendered body appears here.' : stateOf(inspection)}</p>
      {picture !== undefined && <PictureView picture={picture} />}
      {output !== null && !isEmpty && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard.
        <section className="rendered" aria-label="Rendered body" tabIndex={0}>
          <pre>{fault === undefined ? output.trim() : <Marked text={output} fault={fault} />}</pre>
        </section>
      )}
    </section>
  );
}

function stateOf({ output, fault }: Inspection): string {
  if (output === null) return 'The template cannot be rendered.';
  if (fault !== undefined) return `Not JSON in line ${fault.line}: ${fault.message}.`;
  return `Valid JSON, ${new TextEncoder().encode(output).length} bytes. This is exactly what is sent.`;
}

function Marked({ text, fault }: { text: string; fault: NonNullable<Inspection['fault']> }) {
  const { from, to } = problemRange(text, fault);
  return (
    <>
      {text.slice(0, from)}
      <mark>{text.slice(from, to)}</mark>
      {text.slice(to)}
    </>
  );
}

import type { Picture, PicturePart, Span } from './picture.js';

/** Shows how a destination would display a body. React renders all values as text, so markup in them has no effect. */
export function PictureView({ picture: { kind, title, badges, parts } }: { picture: Picture }) {
  return (
    <figure className="picture" data-kind={kind}>
      <figcaption className="muted">{`Approximate look: ${kind}`}</figcaption>
      <div className="picture-body">
        {title !== '' && <strong className="picture-title">{title}</strong>}
        {badges.length > 0 && (
          <ul className="picture-badges">
            {badges.map((badge) => (
              <li key={badge}>{badge}</li>
            ))}
          </ul>
        )}
        {parts.map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity and no state.
          <Part key={index} part={part} />
        ))}
      </div>
    </figure>
  );
}

function Part({ part }: { part: PicturePart }) {
  switch (part.type) {
    case 'line':
      return <hr />;
    case 'text':
      return <Lines lines={part.lines} />;
    case 'facts':
      return (
        <div className="picture-facts">
          {part.facts.map((lines, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity and no state.
            <div key={index}>
              <Lines lines={lines} />
            </div>
          ))}
        </div>
      );
  }
}

function Lines({ lines }: { lines: readonly Span[][] }) {
  return (
    <p>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity and no state.
        <span key={index} className="picture-line">
          {line.map((span, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: spans have no identity and no state.
            <Styled key={place} span={span} />
          ))}
        </span>
      ))}
    </p>
  );
}

function Styled({ span: { text, style } }: { span: Span }) {
  switch (style) {
    case 'bold':
      return <b>{text}</b>;
    case 'italic':
      return <i>{text}</i>;
    case 'code':
      return <code>{text}</code>;
    case 'link':
      return <u>{text}</u>;
    default:
      return text;
  }
}

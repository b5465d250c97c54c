import { type ReactNode, useEffect, useRef } from 'react';

export interface PageHead {
  title: string;
  /** Sentence below the title. */
  lead?: ReactNode;
  /** Buttons to the right of the title. */
  actions?: ReactNode;
}

export interface PageProps extends PageHead {
  children: ReactNode;
}

/** Page with a title. The title gets the focus when the page opens, so that screen readers announce the page. */
export function Page({ title, lead, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <>
      <title>{`${title} · Tocsin`}</title>
      <header className="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead !== undefined && <div className="lead">{lead}</div>}
        </div>
        {actions !== undefined && <div className="row">{actions}</div>}
      </header>
      <div className="stack">{children}</div>
    </>
  );
}

export function Card({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <section className="card stack">
      {title !== undefined && <h2>{title}</h2>}
      {children}
    </section>
  );
}

/** List of names and values. Entries whose value is undefined, null or false are left out. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts
        .filter(([, value]) => value !== undefined && value !== null && value !== false)
        .map(([name, value]) => (
          <div key={name} className="fact">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

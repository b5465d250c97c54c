import { type ReactNode, useState } from 'react';
import { Button, TextField } from '../ui/index.js';
import './shared.css';

interface Attachable {
  id: string;
  name: string;
  /** A few words below the name. */
  detail?: string;
}

export interface AttachListProps {
  /** Name of the entries in the plural, for example `alert rules`. */
  things: string;
  attached: readonly Attachable[];
  /** Everything that can be attached and is not. */
  others: readonly Attachable[];
  linkTo(id: string): ReactNode;
  /** Undefined where the person may not change it. */
  onChange: ((id: string, attach: boolean) => void) | undefined;
  /** Id of the entry whose change is being saved. */
  pendingId: string | undefined;
}

/** Candidates that are shown at once; the search finds the others. */
const maxShown = 8;

/** The attached entries with a button to detach each, and a search by name to attach others. */
export function AttachList({ things, attached, others, linkTo, onChange, pendingId }: AttachListProps) {
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const found = others.filter(({ name }) => name.toLowerCase().includes(wanted));
  return (
    <>
      {attached.length > 0 && (
        <ul className="lines" aria-label={`Attached ${things}`}>
          {attached.map(({ id, detail }) => (
            <li key={id}>
              <span className="attach-name">
                {linkTo(id)}
                {detail !== undefined && <span className="muted">{detail}</span>}
              </span>
              {onChange !== undefined && (
                <Button isPending={pendingId === id} onPress={() => onChange(id, false)}>
                  {pendingId === id ? 'Detaching …' : 'Detach'}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {onChange !== undefined && others.length > 0 && (
        <>
          <h3>{`Other ${things}`}</h3>
          {others.length > maxShown && (
            <TextField label={`Find ${things} to attach`} type="search" value={search} onChange={setSearch} />
          )}
          <ul className="lines" aria-label={`Other ${things}`}>
            {found.slice(0, maxShown).map(({ id, detail }) => (
              <li key={id}>
                <span className="attach-name">
                  {linkTo(id)}
                  {detail !== undefined && <span className="muted">{detail}</span>}
                </span>
                <Button isPending={pendingId === id} onPress={() => onChange(id, true)}>
                  {pendingId === id ? 'Attaching …' : 'Attach'}
                </Button>
              </li>
            ))}
          </ul>
          {found.length === 0 && <p className="muted">Nothing with this name.</p>}
          {found.length > maxShown && (
            <p className="muted">{`${found.length - maxShown} more. Search by name to find them.`}</p>
          )}
        </>
      )}
    </>
  );
}

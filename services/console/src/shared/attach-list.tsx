import { type ReactNode, useState } from 'react';
import { Button, TextField } from '../ui/index.js';
import './shared.css';

interface Attachable {
  id: string;
  name: string;
  /** Short description that is shown with the name, for example the host of a webhook. */
  detail?: string;
}

export interface AttachListProps {
  /** Name of the entries in the plural, for example `alert rules`. */
  things: string;
  attached: readonly Attachable[];
  /** All entries that are not attached. */
  others: readonly Attachable[];
  linkTo(id: string): ReactNode;
  /** Called when the user attaches or detaches an entry. Undefined if the user may not change the list. */
  onChange: ((id: string, attach: boolean) => void) | undefined;
  /** Id of the entry whose change is being saved. */
  pendingId: string | undefined;
}

/** Number of attached entries that are shown before the user asks for all. A webhook can be attached to thousands of rules. */
const firstAttached = 10;
/** Maximum number of entries that are shown below the heading `Other …`. Users find the rest with the search field. */
const maxShown = 8;

/**
 * Lists the attached entries with buttons that detach them, and the other entries with buttons that attach them. Only
 * the first ten attached entries are shown until the user asks for all. If there are more than eight other entries, a
 * field searches them by name.
 */
export function AttachList({ things, attached, others, linkTo, onChange, pendingId }: AttachListProps) {
  const [search, setSearch] = useState('');
  const [showsAll, setShowsAll] = useState(false);
  const wanted = search.trim().toLowerCase();
  const found = others.filter(({ name }) => name.toLowerCase().includes(wanted));
  return (
    <>
      {attached.length > 0 && (
        <ul className="lines" aria-label={`Attached ${things}`}>
          {attached.slice(0, showsAll ? undefined : firstAttached).map(({ id, detail }) => (
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
      {attached.length > firstAttached && (
        <p>
          <Button kind="quiet" onPress={() => setShowsAll(!showsAll)}>
            {`Show ${showsAll ? `the first ${firstAttached}` : `all ${attached.length}`} attached ${things}`}
          </Button>
        </p>
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
          {found.length === 0 && <p className="muted">No match.</p>}
          {found.length > maxShown && (
            <p className="muted">{`${found.length - maxShown} more. Search by name to find them.`}</p>
          )}
        </>
      )}
    </>
  );
}

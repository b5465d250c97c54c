import { type ReactNode, useState } from 'react';
import { Button, Chip, Dialog, type Search } from '../ui/index.js';
import type { FilterChip } from './filter-chips.js';

export interface FilterBarProps<Name extends string> {
  search: Search<Name>;
  /** Active filters as text. */
  chips: readonly FilterChip<Name>[];
  /** Fields that change the filters. */
  children: ReactNode;
}

/** Shows the active filters as chips, and a button that opens a dialog with all filters. */
export function FilterBar<Name extends string>({ search, chips, children }: FilterBarProps<Name>) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const remove = (removed: readonly FilterChip<Name>[]) =>
    search.set(Object.fromEntries(removed.map(({ name }) => [name, undefined])) as Record<Name, undefined>);
  return (
    <fieldset className="row">
      <legend className="visually-hidden">Filters</legend>
      <Button onPress={() => setOpen(true)}>Filter</Button>
      {chips.map((chip) => (
        <Chip key={chip.name} onRemove={() => remove([chip])}>
          {chip.text}
        </Chip>
      ))}
      {chips.length > 1 && (
        <Button kind="quiet" onPress={() => remove(chips)}>
          Remove all
        </Button>
      )}
      <Dialog
        title="Filter"
        isOpen={isOpen}
        onClose={close}
        actions={
          <Button kind="primary" onPress={close}>
            Done
          </Button>
        }
      >
        {children}
      </Dialog>
    </fieldset>
  );
}

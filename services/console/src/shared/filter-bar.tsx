import { type ReactNode, useState } from 'react';
import { Button, Chip, Dialog } from '../ui/index.js';

export interface FilterBarProps {
  /** Active filters in words, by their name in the address. */
  chips: readonly { name: string; text: string }[];
  onRemove(name: string): void;
  onClear(): void;
  /** Fields that change the filters. */
  children: ReactNode;
}

/** Active filters as chips, and a dialog with all filters. */
export function FilterBar({ chips, onRemove, onClear, children }: FilterBarProps) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <fieldset className="row">
      <legend className="visually-hidden">Filters</legend>
      <Button onPress={() => setOpen(true)}>Filter</Button>
      {chips.map(({ name, text }) => (
        <Chip key={name} onRemove={() => onRemove(name)}>
          {text}
        </Chip>
      ))}
      {chips.length > 1 && (
        <Button kind="quiet" onPress={onClear}>
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

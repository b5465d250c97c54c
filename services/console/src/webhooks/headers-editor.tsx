import { useState } from 'react';
import { Button, TextField } from '../ui/index.js';
import { type HeaderRow, isSecretHeader, rowProblems, withEmptyRow } from './header-rows.js';
import type { FieldErrors } from './webhook-form.js';

export interface HeadersEditorProps {
  rows: readonly HeaderRow[];
  errors: Pick<FieldErrors, 'headers' | 'headerNames'>;
  onChange(rows: readonly HeaderRow[]): void;
}

/**
 * Fields for the headers of a request, one row for each value. Values that can be secrets are masked until the user
 * presses the button that shows them.
 */
export function HeadersEditor({ rows, errors, onChange }: HeadersEditorProps) {
  const problems = rowProblems(rows);
  const replace = (changed: HeaderRow) =>
    onChange(rows.map((row) => (row.key === changed.key ? changed : row)));
  return (
    <fieldset className="headers-editor">
      <legend>Headers</legend>
      {rows.map((row, index) => (
        <HeaderLine
          key={row.key}
          row={row}
          number={index + 1}
          problem={problems.get(row.key) ?? errors.headerNames.get(row.name.trim().toLowerCase())}
          onChange={replace}
          onRemove={() => onChange(rows.filter(({ key }) => key !== row.key))}
        />
      ))}
      {errors.headers !== undefined && <p className="error">{errors.headers}</p>}
      <div>
        <Button onPress={() => onChange(withEmptyRow(rows))}>Add a header</Button>
      </div>
    </fieldset>
  );
}

interface HeaderLineProps {
  row: HeaderRow;
  number: number;
  problem: string | undefined;
  onChange(row: HeaderRow): void;
  onRemove(): void;
}

function HeaderLine({ row, number, problem, onChange, onRemove }: HeaderLineProps) {
  const [isShown, setShown] = useState(false);
  const isSecret = isSecretHeader(row.name);
  const name = row.name.trim() === '' ? `header ${number}` : row.name;
  return (
    <div className="header-row">
      <TextField
        label={`Name of header ${number}`}
        placeholder="Authorization"
        value={row.name}
        error={problem}
        onChange={(text) => onChange({ ...row, name: text })}
      />
      <TextField
        label={`Value of ${name}`}
        type={isSecret && !isShown ? 'password' : 'text'}
        autoComplete="off"
        value={row.value}
        onChange={(value) => onChange({ ...row, value })}
      />
      <div className="row">
        {isSecret && (
          <Button
            aria-label={`${isShown ? 'Hide' : 'Show'} the value of ${name}`}
            onPress={() => setShown(!isShown)}
          >
            {isShown ? 'Hide' : 'Show'}
          </Button>
        )}
        <Button aria-label={`Remove ${name}`} onPress={onRemove}>
          Remove
        </Button>
      </div>
    </div>
  );
}

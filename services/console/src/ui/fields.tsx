import { type ReactNode, useId, useState } from 'react';
import {
  Switch as AriaSwitch,
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
  FieldError,
  Input,
  Label,
  Text,
  TextArea,
} from 'react-aria-components';

export interface TextFieldProps extends Omit<AriaTextFieldProps, 'children' | 'className' | 'style'> {
  label: string;
  description?: ReactNode;
  /** Error message of an invalid field. */
  error?: string | undefined;
  placeholder?: string;
  /** True if the user can enter several lines. */
  multiline?: boolean;
  /** Values that the browser suggests while the user types. */
  suggestions?: readonly string[];
}

export function TextField(props: TextFieldProps) {
  const { label, description, error, placeholder, multiline = false, suggestions, ...rest } = props;
  const list = useId();
  return (
    <AriaTextField {...rest} className="field" isInvalid={error !== undefined}>
      <Label>{label}</Label>
      {multiline ? (
        <TextArea placeholder={placeholder ?? ''} />
      ) : (
        <Input placeholder={placeholder ?? ''} {...(suggestions && { list })} />
      )}
      {suggestions !== undefined && (
        <datalist id={list}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
      {description !== undefined && (
        <Text slot="description" className="description">
          {description}
        </Text>
      )}
      <FieldError className="error">{error}</FieldError>
    </AriaTextField>
  );
}

export interface AddressFieldProps extends Omit<TextFieldProps, 'value' | 'onChange' | 'onBlur' | 'error'> {
  /** Value of the field in the address of the page. */
  value: string;
  onChange(text: string): void;
  /**
   * Format of a complete value. While the typed text does not match `pattern`, the address of the page keeps the
   * previous value.
   */
  format?: { pattern: RegExp; hint: string };
}

export const uuidFormat = {
  pattern: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  hint: 'An id has 36 characters.',
};

/**
 * Text field whose value is in the address of the page. The address is updated with a delay. While the user types, the
 * field therefore shows the typed text and not the value from the address, which can lack the latest characters.
 */
export function AddressField({ value, onChange, format, ...props }: AddressFieldProps) {
  const [typed, setTyped] = useState<string>();
  const [isLeft, setLeft] = useState(false);
  const isComplete = (text = '') => text === '' || (format?.pattern.test(text) ?? true);
  return (
    <TextField
      {...props}
      {...(format && { description: format.hint })}
      value={typed ?? value}
      error={isLeft && !isComplete(typed) ? 'This text is not used as a filter.' : undefined}
      onFocus={() => setLeft(false)}
      onChange={(text) => {
        setTyped(text);
        if (isComplete(text)) onChange(text);
      }}
      onBlur={() => {
        setLeft(true);
        if (isComplete(typed)) setTyped(undefined);
      }}
    />
  );
}

export interface SelectOption {
  value: string;
  label: string;
}

export interface SelectFieldProps {
  label: string;
  value: string;
  options: readonly SelectOption[];
  onChange(value: string): void;
  description?: ReactNode;
  isDisabled?: boolean;
  /** True if the label is hidden from view. Screen readers still read it. */
  hideLabel?: boolean;
}

/**
 * Field to choose one of several options. It is a native select element, because that works with keyboard, screen
 * reader and touch in all browsers.
 */
export function SelectField(props: SelectFieldProps) {
  const { label, value, options, onChange, description, isDisabled = false, hideLabel = false } = props;
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id} className={hideLabel ? 'visually-hidden' : undefined}>
        {label}
      </label>
      <select
        id={id}
        value={value}
        disabled={isDisabled}
        aria-describedby={description === undefined ? undefined : `${id}-description`}
        onChange={(event) => onChange(event.target.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      {description !== undefined && (
        <span id={`${id}-description`} className="description">
          {description}
        </span>
      )}
    </div>
  );
}

interface SwitchFieldProps {
  label: string;
  /** Label for screen readers if the visible label is unclear without its context. */
  accessibleLabel?: string;
  isSelected: boolean;
  onChange(isSelected: boolean): void;
  isDisabled?: boolean;
  /**
   * True while a change is being saved. The switch then cannot be changed and its label is `Saving …`, but it keeps the
   * focus, which a disabled switch would lose.
   */
  isSaving?: boolean;
}

export function SwitchField(props: SwitchFieldProps) {
  const { label, accessibleLabel, isDisabled = false, isSaving = false, ...rest } = props;
  return (
    <AriaSwitch
      {...rest}
      isDisabled={isDisabled && !isSaving}
      isReadOnly={isSaving}
      className="switch"
      {...(accessibleLabel && { 'aria-label': accessibleLabel })}
    >
      <span className="track" aria-hidden />
      {isSaving ? 'Saving …' : label}
    </AriaSwitch>
  );
}

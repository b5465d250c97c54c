export { Button, LinkButton } from './button.js';
export { CodeBlock } from './code-block.js';
export { ConfirmButton, Dialog } from './dialog.js';
export {
  AddressField,
  SelectField,
  type SelectOption,
  SwitchField,
  TextField,
  uuidFormat,
} from './fields.js';
export { Form } from './form.js';
export { formatDuration, formatExact } from './format-time.js';
export { Empty, Failure, Loading, Notice, type Tone } from './messages.js';
export { Card, Facts, Page, type PageHead } from './page.js';
export { Chip, StatusChip } from './status-chip.js';
export { type Column, Table } from './table.js';
export { Duration, ElapsedTime, ExactTime, NextTime, NowProvider, RelativeTime, useNow } from './time.js';
export { useFocusInvalid } from './use-focus-invalid.js';
export { type Search, useSearch } from './use-search.js';

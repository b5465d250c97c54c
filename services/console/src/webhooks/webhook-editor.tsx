import { useRef, useState } from 'react';
import { asConflict } from '../api/index.js';
import { AskBeforeLeaving } from '../shared/ask-before-leaving.js';
import { ConflictNotice } from '../shared/conflict-notice.js';
import {
  type CodeEditorHandle,
  type Inspection,
  openPlaceholders,
  type ReadyTemplate,
  ReadyTemplates,
  TemplateWorkbench,
} from '../template-editor/index.js';
import {
  Button,
  Card,
  Failure,
  LinkButton,
  Notice,
  SwitchField,
  TextField,
  useFocusInvalid,
} from '../ui/index.js';
import './webhooks.css';
import { fromOptionTexts, type OptionTexts } from './delivery-options.js';
import { DeliveryOptionsFields } from './delivery-options-fields.js';
import { toRows } from './header-rows.js';
import { HeadersEditor } from './headers-editor.js';
import { SendTest } from './send-test.js';
import { type FieldErrors, toFieldErrors, type WebhookForm } from './webhook-form.js';

export interface WebhookEditorProps {
  /** The values without changes of the user. A new object replaces only values in a form that has no changes. */
  initial: WebhookForm;
  isNew: boolean;
  /** Address of the page that opens if the user cancels. */
  cancelTo: string;
  isSaving: boolean;
  error: Error | null;
  onSave(form: WebhookForm): void;
  /** Called after a conflict with the form that replaces the other user's changes. */
  onOverwrite?(form: WebhookForm): void;
  /** Called after a conflict whose form is discarded. */
  onDiscard?(): void;
}

/** Editor for the destination, the headers and the template of a webhook, with a preview and a test request. */
export function WebhookEditor(props: WebhookEditorProps) {
  const { initial, isNew, cancelTo, isSaving, onSave, onOverwrite = onSave, onDiscard } = props;
  const [edited, setEdited] = useState<WebhookForm>();
  const form = edited ?? initial;
  const [placeholders, setPlaceholders] = useState<ReadyTemplate['placeholders']>({});
  const [missing, setMissing] = useState<Partial<FieldErrors>>({});
  const [optionErrors, setOptionErrors] = useState<Partial<Record<keyof OptionTexts, string>>>({});
  const [inspection, setInspection] = useState<Inspection>();
  const codeEditor = useRef<CodeEditorHandle>(null);
  const conflict = asConflict(props.error);
  const error = conflict === undefined ? props.error : null;
  const fields = useFocusInvalid<HTMLDivElement>(missing, error);
  const set = (changes: Partial<WebhookForm>) => setEdited((now = initial) => ({ ...now, ...changes }));
  const refused = fieldErrorsOf(error);
  const errors: FieldErrors = { ...(refused ?? noErrors), ...missing };

  const save = (send: (form: WebhookForm) => void) => {
    const absent = missingFields(form);
    setMissing(absent);
    const options = fromOptionTexts(form.options);
    setOptionErrors('errors' in options ? options.errors : {});
    const problem = inspection?.problems.find(({ severity }) => severity === 'error');
    if (Object.keys(absent).length > 0 || 'errors' in options) return;
    if (problem === undefined) send(form);
    else codeEditor.current?.goTo(problem);
  };
  const discard = () => {
    setEdited(undefined);
    setMissing({});
    setOptionErrors({});
    onDiscard?.();
  };
  const start = (template: ReadyTemplate) => {
    const { body, headers, url, placeholders } = template;
    setPlaceholders(placeholders);
    set({ body, headers: toRows(headers), ...(form.url === '' ? { url } : {}) });
  };
  const headerTexts = form.headers.map(({ value }) => value);
  const open = openPlaceholders(placeholders, [form.url, form.body, ...headerTexts]);

  return (
    <div className="stack" ref={fields}>
      <ReadyTemplates isOpen={isNew && form.body === ''} onChoose={start} />
      {open.length > 0 && <Placeholders open={open} />}
      <Card title="Destination">
        <TextField
          label="Name"
          description="Shown in lists and in the search when you attach webhooks to a rule."
          value={form.name}
          error={errors.name}
          onChange={(name) => set({ name })}
        />
        <TextField
          label="URL"
          description="The address that receives the POST requests. It can contain a secret: readers see only the host."
          placeholder="https://chat.example.com/hooks/…"
          type="url"
          autoComplete="off"
          value={form.url}
          error={errors.url}
          onChange={(url) => set({ url })}
        />
        <HeadersEditor rows={form.headers} errors={errors} onChange={(headers) => set({ headers })} />
        <SwitchField
          label="Retry after a timeout"
          isSelected={form.retryOnTimeout}
          onChange={(retryOnTimeout) => set({ retryOnTimeout })}
        />
        <DeliveryOptionsFields
          texts={form.options}
          errors={{ ...errors.options, ...optionErrors }}
          onChange={(options) => set({ options })}
        />
      </Card>
      <Card title="Template">
        <TemplateWorkbench
          ref={codeEditor}
          body={form.body}
          error={errors.body}
          onChange={(body) => set({ body })}
          onInspect={setInspection}
        />
      </Card>
      <SendTest form={form} inspection={inspection} />
      {error !== null && refused === undefined && <Failure error={error} />}
      {errors.other.length > 0 && <Failure error={new Error(errors.other.join(' '))} />}
      <div className="save-bar">
        {conflict !== undefined && (
          <ConflictNotice conflict={conflict} onOverwrite={() => save(onOverwrite)} onDiscard={discard} />
        )}
        <Button kind="primary" isPending={isSaving} onPress={() => save(onSave)}>
          {isSaving ? 'Saving …' : isNew ? 'Create webhook' : 'Save'}
        </Button>
        <LinkButton to={cancelTo}>Cancel</LinkButton>
        <span role="status">{summaryOf(form, inspection, missing)}</span>
      </div>
      <AskBeforeLeaving when={edited !== undefined} />
    </div>
  );
}

/** Lists the placeholders of a ready-made template that the user has not replaced yet. */
function Placeholders({ open }: { open: readonly (readonly [string, string])[] }) {
  return (
    <Notice tone="wait">
      <p>Replace these placeholders before you save:</p>
      <ul>
        {open.map(([name, replacement]) => (
          <li key={name}>
            <code>{name}</code> by {replacement}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

const noErrors: FieldErrors = { headerNames: new Map(), options: {}, other: [] };

function fieldErrorsOf(error: Error | null): FieldErrors | undefined {
  const { code, errors } = (error ?? {}) as {
    code?: string;
    errors?: readonly { path: string; message: string }[];
  };
  return code === 'validation_failed' && errors !== undefined ? toFieldErrors(errors) : undefined;
}

function missingFields({ name, url, body }: WebhookForm): Partial<FieldErrors> {
  return {
    ...(name.trim() === '' ? { name: 'Give the webhook a name.' } : {}),
    ...(url.trim() === '' ? { url: 'Enter the address of the destination.' } : {}),
    ...(body.trim() === '' ? { body: 'Write a template, or start from a ready template.' } : {}),
  };
}

function summaryOf(
  form: WebhookForm,
  inspection: Inspection | undefined,
  missing: Partial<FieldErrors>,
): string {
  if (Object.keys(missing).length > 0) return 'Some fields are missing.';
  if (form.body.trim() === '') return '';
  const count = inspection?.problems.filter(({ severity }) => severity === 'error').length ?? 0;
  if (count === 0) return '';
  return count === 1 ? 'The template has an error.' : `The template has ${count} errors.`;
}

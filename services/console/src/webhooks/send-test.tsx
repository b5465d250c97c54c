import { Permitted, useSendTest } from '../api/index.js';
import type { Inspection } from '../template-editor/index.js';
import { Button, Card } from '../ui/index.js';
import { TestResultView } from './test-result.js';
import { toCreate, type WebhookForm } from './webhook-form.js';

/** Sends the previewed body to the destination. The webhook is not saved. */
export function SendTest({ form, inspection }: { form: WebhookForm; inspection: Inspection | undefined }) {
  const test = useSendTest();
  const output = inspection?.fault === undefined ? (inspection?.output ?? null) : null;
  const obstacle = obstacleOf(form, output);
  const send = () => {
    const { url, headers } = toCreate(form);
    if (output !== null) test.mutate({ url, headers, body: output });
  };
  return (
    <Card title="Test">
      <Permitted permission="workspace_test_webhook" what="Sending a test">
        <div className="row">
          <Button isPending={test.isPending} isDisabled={obstacle !== null} onPress={send}>
            {test.isPending ? 'Sending …' : 'Send test'}
          </Button>
          <span className="muted">
            {obstacle ?? 'Sends exactly the body of the preview, now. Nothing is saved.'}
          </span>
        </div>
        <TestResultView result={test.data} error={test.error} />
      </Permitted>
    </Card>
  );
}

function obstacleOf(form: WebhookForm, output: string | null): string | null {
  if (form.body.trim() === '') return 'Write a template first.';
  if (output === null) return 'Correct the template first: its result is not JSON.';
  return form.url.trim() === '' ? 'Enter the URL first.' : null;
}

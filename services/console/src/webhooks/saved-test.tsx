import { Permitted, useSendSavedTest } from '../api/index.js';
import { Button, Card, CodeBlock } from '../ui/index.js';
import { TestResultView } from './test-result.js';

/** Sends the saved template with sample values. */
export function SavedTest({ webhookId }: { webhookId: string }) {
  const test = useSendSavedTest(webhookId);
  return (
    <Card title="Test">
      <Permitted permission="workspace_test_webhook" what="Sending a test">
        <div className="row">
          <Button isPending={test.isPending} onPress={() => test.mutate()}>
            {test.isPending ? 'Sending …' : 'Send test'}
          </Button>
          <span className="muted">Sends the template with sample values to the destination, now.</span>
        </div>
        <TestResultView result={test.data} error={test.error} />
        {typeof test.data?.rendered === 'string' && (
          <CodeBlock label="Rendered body" text={test.data.rendered} />
        )}
      </Permitted>
    </Card>
  );
}

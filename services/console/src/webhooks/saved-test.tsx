import type { Alert } from '@tocsin/client/browser';
import { useState } from 'react';
import { Permitted, useSendSavedTest } from '../api/index.js';
import { PastAlertField } from '../shared/past-alert-field.js';
import { Button, Card, CodeBlock } from '../ui/index.js';
import { TestResultView } from './test-result.js';

/**
 * Renders the saved template with sample values, or with the values of a past alert, and sends the rendered body to the
 * destination.
 */
export function SavedTest({ webhookId }: { webhookId: string }) {
  const [alert, setAlert] = useState<Alert>();
  const test = useSendSavedTest(webhookId);
  return (
    <Card title="Test">
      <Permitted permission="workspace_test_webhook" what="Sending a test">
        <p className="muted">Renders the saved template and sends the result to the destination.</p>
        <div className="row hold">
          <PastAlertField
            label="Values of the test"
            chosen={alert}
            none="Sample values"
            onChoose={setAlert}
          />
          <Button isPending={test.isPending} onPress={() => test.mutate(alert?.alert_id)}>
            {test.isPending ? 'Sending …' : 'Send test'}
          </Button>
        </div>
        <TestResultView result={test.data} error={test.error} />
        {typeof test.data?.rendered === 'string' && (
          <CodeBlock label="Rendered body" text={test.data.rendered} />
        )}
      </Permitted>
    </Card>
  );
}

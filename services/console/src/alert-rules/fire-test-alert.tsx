import type { AlertRule } from '@tocsin/client/browser';
import { useState } from 'react';
import { Link } from 'react-router';
import { Permitted, useFiredAlert, useFireTestAlert } from '../api/index.js';
import { usePaths } from '../paths.js';
import { DeliveryStatus, resultOf } from '../shared/delivery-status.js';
import { alertOutcomeWords, wordsOf } from '../shared/words.js';
import { Button, Card, Failure, Form, Notice, TextField } from '../ui/index.js';
import { firingValue, parseNumber } from './rule-form.js';

/** Form that publishes an alert of the rule, marked as a test, and then shows the alert's deliveries. */
export function FireTestAlert({ rule }: { rule: AlertRule }) {
  return (
    <Card title="Test alert">
      <Permitted permission="workspace_publish_alert" what="Firing a test alert">
        <FireForm rule={rule} />
      </Permitted>
    </Card>
  );
}

function FireForm({ rule }: { rule: AlertRule }) {
  const [modelName, setModelName] = useState('Test model');
  const [value, setValue] = useState(() => String(firingValue(rule)));
  const fire = useFireTestAlert();
  const metric = parseNumber(value);
  return (
    <>
      <p>
        The alert is handled like any other: it is stored, sent to each attached webhook, and retried after a
        failure. It is marked as a test.
      </p>
      <Form
        className="fire-form"
        onSubmit={() => {
          if (metric === undefined) return;
          fire.mutate({
            alert_rule_id: rule.id,
            model_id: rule.model_id,
            model_name: modelName,
            metric_value: metric,
          });
        }}
      >
        <TextField label="Name of the model" value={modelName} onChange={setModelName} />
        <TextField
          label="Value of the metric"
          inputMode="decimal"
          value={value}
          error={metric === undefined ? 'Enter a number, such as 0.42.' : undefined}
          onChange={setValue}
        />
        <Button type="submit" kind="primary" isPending={fire.isPending}>
          {fire.isPending ? 'Firing …' : 'Fire test alert'}
        </Button>
      </Form>
      {fire.error !== null && <Failure error={fire.error} />}
      {fire.data !== undefined && <FiredAlert alertId={fire.data.alert_id} key={fire.data.alert_id} />}
    </>
  );
}

function FiredAlert({ alertId }: { alertId: string }) {
  const paths = usePaths();
  const { alert, deliveries } = useFiredAlert(alertId);
  const outcome = alert.data && wordsOf(alertOutcomeWords, alert.data.outcome);
  const items = deliveries.data ?? [];
  return (
    <div className="stack" aria-live="polite">
      {alert.data === undefined && alert.error === null && (
        <p>The alert was accepted. Waiting for a worker to process it …</p>
      )}
      {alert.error !== null && <Failure error={alert.error} onRetry={() => void alert.refetch()} />}
      {alert.data !== undefined && alert.data.outcome !== 'dispatched' && (
        <Notice tone="wait">{alert.data.outcome_reason ?? outcome?.reason ?? alert.data.outcome}</Notice>
      )}
      {deliveries.error !== null && <Failure error={deliveries.error} />}
      {items.length > 0 && (
        <ul className="lines" aria-label="Deliveries of the test alert">
          {items.map((delivery) => (
            <li key={delivery.id}>
              <Link to={paths.delivery(delivery.id)}>{delivery.webhook_name}</Link>
              <DeliveryStatus status={delivery.status} />
              <span>{resultOf(delivery)}</span>
            </li>
          ))}
        </ul>
      )}
      {alert.data !== undefined && (
        <p>
          <Link to={paths.alert(alertId)}>Open the alert</Link>
        </p>
      )}
    </div>
  );
}

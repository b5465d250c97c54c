/**
 * Publishes one alert to the broker with `@tocsin/client`. The client validates the alert, publishes it as a persistent
 * and mandatory message, waits for the publisher confirm, and repeats the message after a lost connection.
 *
 *   npm install @tocsin/client
 *   TOCSIN_AMQP_URL=amqps://monitor:PASSWORD@broker.example.com \
 *     node publish-alert.mts WORKSPACE_ID RULE_ID MODEL_ID VALUE
 *
 * Node before 22.18 cannot run TypeScript: use `npx tsx publish-alert.mts …`. Prints the id of the alert after the
 * confirm, and exits with 1 otherwise.
 */
import { AlertNotPublishedError, createAmqpPublisher } from '@tocsin/client';

const [workspaceId, ruleId, modelId, value] = process.argv.slice(2);
const url = process.env.TOCSIN_AMQP_URL;
if (!url || !workspaceId || !ruleId || !modelId || !value) {
  console.error('usage: TOCSIN_AMQP_URL=… publish-alert.mts WORKSPACE_ID RULE_ID MODEL_ID VALUE');
  process.exit(2);
}

// With `declare: false` the broker user only needs the permission to publish. A service of Tocsin declares the queues.
const publisher = await createAmqpPublisher({ url, workspaceId, declare: false, giveUpAfterMs: 30_000 });
try {
  const { alert_id } = await publisher.publish({
    alert_rule_id: ruleId,
    model_id: modelId,
    model_name: 'Loan approval v2',
    metric_value: Number(value),
    state: 'firing',
    labels: { team: 'risk', language: 'typescript' },
    annotations: { summary: 'Published by the TypeScript example.' },
  });
  console.log(alert_id);
} catch (error) {
  // `error.alert` contains the alert with its id. It can be published again without becoming a second alert.
  console.error(error instanceof AlertNotPublishedError ? error.message : error);
  process.exitCode = 1;
} finally {
  await publisher.close();
}

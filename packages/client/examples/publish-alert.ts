/**
 * Publishes one alert to the broker with `@tocsin/client`, which validates it, publishes it persistent and mandatory, waits for
 * the confirm, and repeats it after a lost connection.
 *
 *   npm install @tocsin/client
 *   TOCSIN_AMQP_URL=amqps://monitor:PASSWORD@broker.example.com \
 *     node publish-alert.ts WORKSPACE_ID RULE_ID MODEL_ID VALUE    # Node 22.18 or later; before: npx tsx publish-alert.ts …
 *
 * Prints the id of the alert when it can no longer be lost, and exits with 1 otherwise.
 */
import { AlertNotPublishedError, createAmqpPublisher } from '@tocsin/client';

const [workspaceId, ruleId, modelId, value] = process.argv.slice(2);
const url = process.env.TOCSIN_AMQP_URL;
if (!url || !workspaceId || !ruleId || !modelId || !value) {
  console.error('usage: TOCSIN_AMQP_URL=… publish-alert.ts WORKSPACE_ID RULE_ID MODEL_ID VALUE');
  process.exit(2);
}

// `declare: false` suits a broker user that may only publish: a service of Tocsin has declared exchanges and queues.
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
  // `error.alert` has its id, so a later repetition is the same alert.
  console.error(error instanceof AlertNotPublishedError ? error.message : error);
  process.exitCode = 1;
} finally {
  await publisher.close();
}

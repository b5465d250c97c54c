import { setTimeout as sleep } from 'node:timers/promises';
import type { AlertPublisher, OfferedAlert } from './amqp-publisher.js';
import { startLoadRun } from './load-run.js';

const target = { workspaceId: 'w', alertRuleId: 'r' };

/**
 * Creates a publisher that sends nothing and collects the alerts. The test confirms them one by one with `onAccepted`.
 */
function recordingPublisher(): AlertPublisher & { alerts: OfferedAlert[] } {
  const alerts: OfferedAlert[] = [];
  return {
    alerts,
    publish: (alert) => alerts.push(alert),
    inFlight: () => alerts.length,
  };
}

test('without a publish rate, a run keeps 1,000 alerts in flight and ends when all are accepted', async () => {
  const publisher = recordingPublisher();
  const run = startLoadRun({ run: 1, target, alerts: 1_002 }, publisher);
  expect(publisher.alerts).toHaveLength(1_000);
  publisher.alerts[0]!.onAccepted();
  expect(run.progress()).toMatchObject({ offered: 1_001, accepted: 1 });
  publisher.alerts[1]!.onAccepted();
  for (const { onAccepted } of publisher.alerts.slice(2)) onAccepted();
  await run.finished;
  const { acceptedAtMs, endedAtMs } = await run.end();
  expect(acceptedAtMs.every((atMs) => atMs > 0 && atMs <= endedAtMs)).toBe(true);
});

test('a run without a publish rate has at most the given number of alerts in flight', () => {
  const publisher = recordingPublisher();
  const run = startLoadRun({ run: 1, target, alerts: 10, maxUnconfirmed: 3 }, publisher);
  expect(publisher.alerts).toHaveLength(3);
  publisher.alerts[0]!.onAccepted();
  expect(run.progress()).toMatchObject({ offered: 4, accepted: 1 });
});

test('a load run with a fixed publish rate publishes no alert after it is stopped', async () => {
  const publisher = recordingPublisher();
  const run = startLoadRun({ run: 1, target, alerts: 50, alertsPerSecond: 1_000 }, publisher);
  await sleep(20);
  run.stop();
  const { offered } = run.progress();
  expect(offered).toBeGreaterThan(1);
  await sleep(20);
  expect(run.progress().offered).toBe(offered);
});

test('countDelayed counts alerts published since sinceMs that wait minimumMs for acceptance', async () => {
  const publisher = recordingPublisher();
  const run = startLoadRun({ run: 1, target, alerts: 3 }, publisher);
  publisher.alerts[0]!.onAccepted();
  await sleep(20);
  publisher.alerts[1]!.onAccepted();
  expect(run.countDelayed({ sinceMs: 0, minimumMs: 15 })).toBe(2);
  expect(run.countDelayed({ sinceMs: Number.MAX_VALUE, minimumMs: 15 })).toBe(0);
});

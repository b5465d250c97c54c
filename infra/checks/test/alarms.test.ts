import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { alarmCases } from './support/alarm-cases.js';
import { allUp, type Given, seriesOf, up } from './support/alarm-series.js';
import { readText } from './support/compose.js';
import { evaluate, keyOf } from './support/promql-evaluator.js';
import { parsePromql } from './support/promql-parser.js';
import { testWith } from './support/test-with.js';

interface Alarm {
  alert: string;
  expr: string;
  for?: string;
  labels: Record<string, string>;
}

const file = fileURLToPath(new URL('../../prometheus/alarms.yml', import.meta.url));
const { groups } = parse(readText('infra/prometheus/alarms.yml')) as { groups: { rules: Alarm[] }[] };
const alarms = groups.flatMap(({ rules }) => rules);

const stepSeconds = 15;
const steps = 150;
/**
 * Time at which the alarms are evaluated: 35 minutes after the first sample, in seconds. This is longer than the time
 * range of each expression plus the `for` time of its alarm.
 */
const atSeconds = (steps - 10) * stepSeconds;

const sampled = (given: Given) => seriesOf(given, { steps, stepSeconds });

/** Converts a Prometheus duration in seconds or minutes, for example `90s` or `5m`, to seconds. */
function secondsOf(duration: string): number {
  const [, figure, unit] = /^(\d+)([sm])$/.exec(duration) ?? [];
  if (figure === undefined) throw new Error(`${duration} is no duration in s or m.`);
  return Number(figure) * (unit === 'm' ? 60 : 1);
}

/** Returns the label sets for which the expression has been true during the whole `for` time before `atSeconds`. */
function firing(alarm: Alarm, given: Given): Record<string, string>[] {
  const data = { series: sampled(given), stepSeconds };
  const expression = parsePromql(alarm.expr);
  const since = new Map<string, number>();
  for (let at = 0; at <= atSeconds; at += stepSeconds) {
    const active = new Set(evaluate(expression, data, at).map(({ labels }) => keyOf(labels)));
    for (const key of since.keys()) if (!active.has(key)) since.delete(key);
    for (const key of active) if (!since.has(key)) since.set(key, at);
  }
  const wanted = secondsOf(alarm.for ?? '0s');
  return [...since].flatMap(([key, at]) =>
    atSeconds - at >= wanted ? [Object.fromEntries(JSON.parse(key) as [string, string][])] : [],
  );
}

test.each(alarms.map((alarm) => [alarm.alert, alarm] as const))(
  'the alarm %s fires for each example that should fire it, and for no other example',
  (name, alarm) => {
    const { fires = [], silent = [] } = alarmCases[name] ?? {};
    expect([fires.length > 0, silent.length > 0]).toEqual([true, name !== 'Watchdog']);
    for (const [given, labels] of fires) expect([given, firing(alarm, given)]).toEqual([given, [labels]]);
    for (const given of silent) expect([given, firing(alarm, given)]).toEqual([given, []]);
  },
);

test('PipelineLag fires within three minutes of the last pipeline marker if no worker runs', () => {
  const alarm = alarms.find(({ alert }) => alert === 'PipelineLag') as Alarm;
  const growing = { series: sampled({ tocsin_pipeline_lag_seconds: '1/s' }), stepSeconds };
  const first = Array.from({ length: steps }, (_, step) => step * stepSeconds).find(
    (at) => evaluate(parsePromql(alarm.expr), growing, at).length > 0,
  )!;
  expect(first + secondsOf(alarm.for ?? '0s')).toBeLessThanOrEqual(180);
});

test('alarms that also fire for a missing exporter do not suppress PipelineLag', () => {
  const { inhibit_rules: rules } = parse(readText('infra/alertmanager/alertmanager.yml')) as {
    inhibit_rules: { source_matchers: string[]; target_matchers: string[] }[];
  };
  const patternOf = ([matcher = '']: string[]) => new RegExp(`^(${/"(.*)"/.exec(matcher)?.[1]})$`);
  const suppressing = alarms.filter(({ alert }) =>
    rules.some(
      ({ source_matchers: source, target_matchers: target }) =>
        patternOf(source).test(alert) && patternOf(target).test('PipelineLag'),
    ),
  );
  expect(suppressing.map(({ alert }) => alert)).toEqual(['NoDeliveryWorker', 'DatabaseNotWritable']);
  for (const alarm of suppressing) expect(firing(alarm, { ...allUp, ...up('rabbitmq', 0) })).toEqual([]);
});

test('an alarm fires only after its expression has been true for its `for` time', () => {
  const slow = alarms.find(({ alert }) => alert === 'DeliveriesOverdue') as Alarm;
  expect(firing({ ...slow, for: '36m' }, { tocsin_oldest_due_seconds: 121 })).toEqual([]);
});

// promtool is part of Prometheus, not an npm package, so this test runs only where it is installed.
const promtool = 'promtool';

testWith([promtool, '--version'], 'promtool and our evaluator of PromQL give equal results', () => {
  const one = (alarm: Alarm, given: Given, labels?: Record<string, string>) => ({
    interval: `${stepSeconds}s`,
    input_series: sampled(given).map(({ name, labels, values }) => ({
      series: `${name}${seriesText(labels)}`,
      values: values.join(' '),
    })),
    promql_expr_test: [
      {
        expr: `count by (${Object.keys(labels ?? {}).join(', ')}) (ALERTS{alertname="${alarm.alert}", alertstate="firing"})`,
        eval_time: `${atSeconds}s`,
        exp_samples: labels ? [{ labels: seriesText(labels), value: 1 }] : [],
      },
    ],
  });
  const tests = alarms.flatMap((alarm) => {
    const { fires = [], silent = [] } = alarmCases[alarm.alert] ?? {};
    return [
      ...fires.map(([given, labels]) => one(alarm, given, labels)),
      ...silent.map((given) => one(alarm, given)),
    ];
  });
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-alarms-'));
  const path = join(folder, 'tests.yml');
  writeFileSync(path, stringify({ rule_files: [file], evaluation_interval: `${stepSeconds}s`, tests }));
  const { status, stdout, stderr } = spawnSync(promtool, ['test', 'rules', path], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  expect([status, `${stdout}${stderr}`]).toEqual([0, expect.stringContaining('SUCCESS')]);
});

function seriesText(labels: Record<string, string>): string {
  return `{${Object.entries(labels)
    .map(([label, value]) => `${label}="${value}"`)
    .join(', ')}}`;
}

import type { Expression, Matcher } from './promql-parser.js';

export type Labels = Record<string, string>;
interface Sample {
  labels: Labels;
  value: number;
}
/** A series with one value every `stepSeconds`, starting at time 0. */
export interface SampledSeries {
  name: string;
  labels: Labels;
  values: number[];
}
export interface TimeSeries {
  series: readonly SampledSeries[];
  stepSeconds: number;
}

/** Evaluates an instant query. `rate` is the average slope in its window, without the extrapolation of Prometheus. */
export function evaluate(expression: Expression, data: TimeSeries, atSeconds: number): Sample[] {
  const again = (inner: Expression) => evaluate(inner, data, atSeconds);
  switch (expression.kind) {
    case 'number':
      return [{ labels: {}, value: expression.value }];
    case 'select':
      return selected(expression, data).flatMap(({ labels, values }) => {
        const value = values[Math.floor(atSeconds / data.stepSeconds)];
        return value === undefined ? [] : [{ labels, value }];
      });
    case 'aggregate':
      return aggregate(expression, again(expression.of));
    case 'binary':
      return combine(expression, again(expression.left), again(expression.right));
    case 'call':
      return call(expression, data, atSeconds);
  }
}

function selected(
  { name, matchers }: Extract<Expression, { kind: 'select' }>,
  { series }: TimeSeries,
): readonly SampledSeries[] {
  const fits = ({ label, operator, value }: Matcher, { labels }: SampledSeries) => {
    const given = labels[label] ?? '';
    const isMatch = operator.endsWith('~') ? new RegExp(`^(?:${value})$`).test(given) : given === value;
    return isMatch !== operator.startsWith('!');
  };
  return series.filter((one) => one.name === name && matchers.every((matcher) => fits(matcher, one)));
}

function aggregate({ name, by }: Extract<Expression, { kind: 'aggregate' }>, samples: Sample[]): Sample[] {
  const groups = new Map<string, Sample>();
  for (const { labels, value } of samples) {
    const kept = Object.fromEntries(Object.entries(labels).filter(([label]) => by.includes(label)));
    const group = groups.get(keyOf(kept));
    if (group === undefined) groups.set(keyOf(kept), { labels: kept, value });
    else group.value = name === 'sum' ? group.value + value : Math.max(group.value, value);
  }
  return [...groups.values()];
}

const arithmetic: Record<string, (left: number, right: number) => number> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
};
const comparisons: Record<string, (left: number, right: number) => boolean> = {
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
  '<': (left, right) => left < right,
  '==': (left, right) => left === right,
};

function combine(
  { operator, left, right }: Extract<Expression, { kind: 'binary' }>,
  lefts: Sample[],
  rights: Sample[],
): Sample[] {
  const has = (samples: Sample[], { labels }: Sample) =>
    samples.some((other) => keyOf(other.labels) === keyOf(labels));
  if (operator === 'and') return lefts.filter((sample) => has(rights, sample));
  if (operator === 'unless') return lefts.filter((sample) => !has(rights, sample));
  if (operator === 'or') return [...lefts, ...rights.filter((sample) => !has(lefts, sample))];
  // A scalar is combined with every sample. Two samples are combined only if their labels are equal.
  const pairs = isScalar(left)
    ? rights.map((sample) => [sample, lefts[0]?.value ?? 0, sample.value] as const)
    : lefts.flatMap((sample) => {
        const other = isScalar(right) ? rights[0] : rights.find((one) => has([one], sample));
        return other === undefined ? [] : [[sample, sample.value, other.value] as const];
      });
  return pairs.flatMap(([{ labels, value }, a, b]) => {
    const compute = arithmetic[operator];
    if (compute !== undefined) return [{ labels, value: compute(a, b) }];
    return comparisons[operator]?.(a, b) ? [{ labels, value }] : [];
  });
}

function isScalar(expression: Expression): boolean {
  return expression.kind === 'number' || (expression.kind === 'call' && expression.name === 'time');
}

function call(
  { name, args }: Extract<Expression, { kind: 'call' }>,
  data: TimeSeries,
  atSeconds: number,
): Sample[] {
  const [first, second] = args;
  if (name === 'time') return [{ labels: {}, value: atSeconds }];
  if (first === undefined) throw new Error(`${name} needs something.`);
  if (name === 'vector') return evaluate(first, data, atSeconds);
  if (name === 'absent') return absent(first, evaluate(first, data, atSeconds));
  if (name === 'histogram_quantile' && first.kind === 'number' && second !== undefined) {
    return quantiles(first.value, evaluate(second, data, atSeconds));
  }
  if (!['rate', 'increase', 'changes'].includes(name) || first.kind !== 'select')
    throw new Error(`What is ${name}?`);
  const { rangeSeconds = Number.NaN } = first;
  return selected(first, data).flatMap(({ labels, values }) => {
    const last = Math.floor(atSeconds / data.stepSeconds);
    const window = values.slice(Math.max(0, last - rangeSeconds / data.stepSeconds), last + 1);
    if (window.length < 2) return [];
    if (name === 'changes')
      return [{ labels, value: window.filter((_, i) => i > 0 && window[i] !== window[i - 1]).length }];
    const slope = ((window.at(-1) ?? 0) - (window[0] ?? 0)) / ((window.length - 1) * data.stepSeconds);
    return [{ labels, value: name === 'rate' ? slope : slope * rangeSeconds }];
  });
}

/**
 * Evaluates `absent`: returns no sample if samples were found, otherwise one sample with the labels of the `=`
 * matchers.
 */
function absent(asked: Expression, found: Sample[]): Sample[] {
  if (found.length > 0) return [];
  const matchers = asked.kind === 'select' ? asked.matchers.filter(({ operator }) => operator === '=') : [];
  return [{ labels: Object.fromEntries(matchers.map(({ label, value }) => [label, value])), value: 1 }];
}

function quantiles(share: number, buckets: Sample[]): Sample[] {
  const groups = new Map<string, Sample[]>();
  for (const bucket of buckets) {
    const { le, ...others } = bucket.labels;
    groups.set(keyOf(others), [...(groups.get(keyOf(others)) ?? []), bucket]);
  }
  return [...groups.values()].map((group) => {
    const bounds = group
      .map(({ labels, value }) => ({ bound: Number(labels.le?.replace('+Inf', 'Infinity')), value }))
      .sort((a, b) => a.bound - b.bound);
    const rank = share * (bounds.at(-1)?.value ?? 0);
    const at = bounds.findIndex(({ value }) => value >= rank);
    const { bound: low, value: below } = bounds[at - 1] ?? { bound: 0, value: 0 };
    const { bound: high, value: upTo } = bounds[at] ?? { bound: Number.NaN, value: Number.NaN };
    const { le, ...labels } = group[0]?.labels ?? {};
    if (high === Number.POSITIVE_INFINITY) return { labels, value: low };
    return { labels, value: low + (high - low) * ((rank - below) / (upTo - below)) };
  });
}

export function keyOf(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

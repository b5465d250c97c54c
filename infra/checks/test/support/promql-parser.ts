export interface Matcher {
  label: string;
  operator: string;
  value: string;
}

export type Expression =
  | { kind: 'number'; value: number }
  | { kind: 'select'; name: string; matchers: Matcher[]; rangeSeconds: number | undefined }
  | { kind: 'call'; name: string; args: Expression[] }
  | { kind: 'aggregate'; name: string; by: string[]; of: Expression }
  | { kind: 'binary'; operator: string; left: Expression; right: Expression };

const token = /\s*([\w.]+|"[^"]*"|=~|!~|!=|==|>=|[{}()[\],=<>*/+-])/y;
const levels = [['or'], ['and', 'unless'], ['>', '>=', '<', '=='], ['+', '-'], ['*', '/']];
const unitSeconds: Record<string, number> = { s: 1, m: 60, h: 3_600 };

/** Parses the subset of PromQL that the alarms and the chart use. Throws for all other input. */
export function parsePromql(text: string): Expression {
  const tokens: string[] = [];
  for (token.lastIndex = 0; token.lastIndex < text.trimEnd().length; ) {
    const at = token.lastIndex;
    const [, found] = token.exec(text) ?? [];
    if (found === undefined) throw new Error(`PromQL is not read from here: ${text.slice(at)}`);
    tokens.push(found);
  }
  const take = (expected?: string): string => {
    const next = tokens.shift();
    if (next === undefined || (expected !== undefined && next !== expected)) {
      throw new Error(`PromQL: ${expected ?? 'something'} is missing before ${next} ${tokens.join(' ')}`);
    }
    return next;
  };
  /** Parses a comma-separated list up to the closing bracket. `one` parses one item. */
  const list = <T>(one: () => T, close: string): T[] => {
    const items = tokens[0] === close ? [] : [one()];
    while (tokens[0] === ',') {
      take();
      items.push(one());
    }
    take(close);
    return items;
  };

  const binary = (level: number): Expression => {
    if (level === levels.length) return operand();
    let left = binary(level + 1);
    while (levels[level]?.includes(tokens[0] ?? '')) {
      left = { kind: 'binary', operator: take(), left, right: binary(level + 1) };
    }
    return left;
  };
  const operand = (): Expression => {
    const word = take();
    if (word === '(') return list(() => binary(0), ')')[0] as Expression;
    if (/^[\d.]+$/.test(word)) return { kind: 'number', value: Number(word) };
    if (word === 'sum' || word === 'max') return aggregate(word);
    if (tokens[0] !== '(') return select(word);
    take();
    return { kind: 'call', name: word, args: list(() => binary(0), ')') };
  };
  const aggregate = (name: string): Expression => {
    let by: string[] = [];
    if (tokens[0] === 'by') {
      take();
      take('(');
      by = list(() => take(), ')');
    }
    take('(');
    const [of] = list(() => binary(0), ')');
    return { kind: 'aggregate', name, by, of: of as Expression };
  };
  const select = (name: string): Expression => {
    const matchers = tokens[0] === '{' && take() ? list(matcher, '}') : [];
    if (tokens[0] !== '[') return { kind: 'select', name, matchers, rangeSeconds: undefined };
    take();
    const [, count, unit = ''] = /^(\d+)([smh])$/.exec(take()) ?? [];
    take(']');
    return {
      kind: 'select',
      name,
      matchers,
      rangeSeconds: Number(count) * (unitSeconds[unit] ?? Number.NaN),
    };
  };
  const matcher = (): Matcher => ({ label: take(), operator: take(), value: take().slice(1, -1) });

  const expression = binary(0);
  if (tokens.length > 0) throw new Error(`PromQL ends before ${tokens.join(' ')}`);
  return expression;
}

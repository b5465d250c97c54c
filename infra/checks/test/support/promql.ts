/** A metric in an expression, with its label matchers. */
export interface Selection {
  metric: string;
  matchers: { label: string; operator: string; value: string }[];
}

const words = new Set(
  'sum max count rate increase changes absent histogram_quantile vector time by and or unless on without humanize'.split(
    ' ',
  ),
);

/** Returns the metrics in an expression: all identifiers that are not functions, operators or labels. */
export function selectionsOf(expression: string): Selection[] {
  const bare = expression.replace(/\b(by|on|without) *\([^)]*\)/g, ' ').replace(/\[[^\]]*\]/g, ' ');
  const found = bare.matchAll(/([a-zA-Z_][\w]*)\s*(?:\{([^}]*)\})?/g);
  return [...found].flatMap(([, metric = '', matchers = '']) =>
    words.has(metric) ? [] : [{ metric, matchers: matchersOf(matchers) }],
  );
}

/** Returns the labels in the lists `by`, `on` and `without` of an expression. */
export function groupingsOf(expression: string): string[] {
  const lists = [...expression.matchAll(/\b(?:by|on|without) *\(([^)]*)\)/g)];
  return lists.flatMap(([, list = '']) => list.split(',').map((label) => label.trim()));
}

function matchersOf(text: string): Selection['matchers'] {
  return [...text.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)].map(
    ([, label = '', operator = '', value = '']) => ({
      label,
      operator,
      value,
    }),
  );
}

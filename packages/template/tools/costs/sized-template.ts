/** A template whose work grows with `size`, a number from 1 to 100,000. */
export type SizedTemplate = (size: number) => string;

/** Returns a template that evaluates an expression `size` times. */
export function repeatExpression(expression: string, before = ''): SizedTemplate {
  return (size) => `${before}{% for i in range(${size}) %}{% set _ = ${expression} %}{% endfor %}`;
}

/** Returns `count` copies of a text. `#` is replaced by a0 in the first copy, by a1 in the second, and so on. */
export function numberedCopies(piece: string, count: number): string {
  return Array.from({ length: count }, (_, index) => piece.replace('#', `a${index}`)).join('');
}

export function half(size: number): number {
  return Math.max(1, Math.floor(size / 2));
}

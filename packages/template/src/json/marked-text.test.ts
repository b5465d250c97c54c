import { Budget, defaultLimits } from '../budget.js';
import type { Rendering } from '../rendering.js';
import { Markup } from '../values/simple-values.js';
import {
  fromMarked,
  joinMarked,
  markedTextOf,
  markTrusted,
  plainText,
  printMarked,
  unmarkedCode,
} from './marked-text.js';

const newBudget = () => new Budget(defaultLimits, () => 0);
const rendering = () => ({ budget: newBudget() }) as Rendering;
const controls = Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)).join('');
/**
 * The first and last characters that are used as marks (U+10FF00, U+10FF01, U+10FF22 to U+10FF24), the characters
 * before and after them, and the last character of Unicode.
 */
const marks = '\u{10feff}\u{10ff00}\u{10ff01}\u{10ff22}\u{10ff23}\u{10ff24}\u{10ff25}\u{10ffff}';

test.each(['{"a": "b\\n"}', controls, '\u2028\u2029', marks, 'plain', '', '\u007f\u0085', 'é日😀'])(
  'the template text %j is printed unescaped, except for U+007F to U+009F',
  (text) => {
    const marked = markTrusted(text, newBudget());
    expect(printMarked(marked, newBudget())).toBe(
      text.replace(/[\u007f\u0085]/g, (unit) => `\\u00${unit.charCodeAt(0).toString(16)}`),
    );
    expect(plainText(marked, newBudget())).toBe(text);
  },
);

test.each(['"', '\\', controls, '\u2028\u2029', marks, 'plain', '\ud800'])(
  'the text %j of a value is printed with JSON escapes and stays unchanged as plain text',
  (text) => {
    const marked = markedTextOf(text, rendering());
    expect(JSON.parse(`"${printMarked(marked, newBudget())}"`)).toBe(text);
    expect(plainText(marked, newBudget())).toBe(text);
  },
);

test('text captured by a block becomes Markup only if it has marks for special JSON characters', () => {
  expect(fromMarked('plain')).toBe('plain');
  const marked = fromMarked(markTrusted('"', newBudget()));
  expect(marked).toBeInstanceOf(Markup);
  expect(marked).toMatchObject({ kind: 'marked', text: '\u{10ff00}' });
});

test('unmarkedCode returns the code of the character that a mark stands for', () => {
  const codes = [0x10ff00, 0x10ff01, 0x10ff02, 0x10ff21, 0x10ff22, 0x10ff23].map(unmarkedCode);
  expect(codes).toEqual([0x22, 0x5c, 0, 0x1f, 0x2028, 0x2029]);
  expect([0x10feff, 0x10ff24, 0x20].map(unmarkedCode)).toEqual([undefined, undefined, undefined]);
});

test('Markup of the kinds `marked` and `json` is printed unescaped, and the kind `html` escaped', () => {
  const marked = new Markup('\u{10ff00}', 'marked');
  expect(markedTextOf(marked, rendering())).toBe('\u{10ff00}');
  expect(markedTextOf(new Markup('"', 'json'), rendering())).toBe('\u{10ff00}');
  expect(markedTextOf(new Markup('"\u{10ff00}', 'html'), rendering())).toBe('"\u{10ff24}\ue000');
});

test('joined text is escaped except for the parts that come from the template', () => {
  const joined = joinMarked([new Markup('\u{10ff00}', 'marked'), '"', 5n, null], rendering());
  expect(joined).toBeInstanceOf(Markup);
  expect(printMarked((joined as Markup).text, newBudget())).toBe('"\\"5None');
  expect(joinMarked(['a', 'b'], rendering())).toBe('ab');
  expect(joinMarked([], rendering())).toBe('');
});

test('replacing characters and joining texts use steps of the template budget', () => {
  const steps = (work: (budget: Budget) => void) => {
    const budget = newBudget();
    work(budget);
    return budget.steps;
  };
  expect(steps((budget) => markTrusted('"\\a\n', budget))).toBe(3);
  expect(steps((budget) => plainText('\u{10ff00}'.repeat(16), budget))).toBe(18);
  expect(steps((budget) => plainText('x'.repeat(16), budget))).toBe(0);
  expect(steps((budget) => joinMarked(['x'.repeat(32)], { budget } as Rendering))).toBeGreaterThanOrEqual(2);
});

import { Budget, defaultLimits } from '../budget.js';
import type { Rendering } from '../rendering.js';
import { CapturedText, Markup } from '../values/simple-values.js';
import {
  changeCase,
  cut,
  joinCaptured,
  printCaptured,
  repeatText,
  surround,
  TextBuilder,
} from './captured-text.js';

const newBudget = () => new Budget(defaultLimits, () => 0);
const rendering = () => ({ budget: newBudget() }) as Rendering;

/** Builds captured text. Parts with an even index come from the template, the others from values. */
function captured(...parts: string[]): string | Markup {
  const builder = new TextBuilder();
  for (const [index, part] of parts.entries()) {
    if (index % 2 === 0) builder.appendTemplateText(part);
    else builder.append(part);
  }
  return builder.value();
}

function print(value: string | Markup): string {
  return value instanceof CapturedText
    ? printCaptured(value, { isInEscape: false, budget: newBudget() })
    : JSON.stringify(value).slice(1, -1);
}

const controls = Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)).join('');

test.each(['{"a": "b\\n"}', controls, '\u2028\u2029', '"\u007f\u0085', '"é日😀', '"\u{10ff00}\u{10ff24}'])(
  'the template text %j is printed unescaped',
  (text) => {
    expect(print(captured(text))).toBe(text);
    expect((captured(text) as Markup).text).toBe(text);
  },
);

test.each(['"', '\\', controls, '\u2028\u2029', '\u{10ff00}\u{10ff24}', '\ud800'])(
  'the text %j of a value is printed with JSON escapes between trusted quotes',
  (text) => {
    expect(JSON.parse(print(captured('"', text, '"')))).toBe(text);
    expect((captured('"', text, '"') as Markup).text).toBe(`"${text}"`);
  },
);

test('captured text is a plain string if trust would not change how it is printed', () => {
  expect(captured('plain')).toBe('plain');
  expect(captured('', '"')).toBe('"');
  expect(captured('"')).toBeInstanceOf(CapturedText);
});

test('a part of captured text keeps the trust of exactly its characters', () => {
  const text = captured('"', '"x"', '"');
  expect([cut(text, 0, 2), cut(text, 1, 4), cut(text, 3)].map(print)).toEqual(['"\\"', '\\"x\\"', '\\""']);
  expect(print(repeatText(text, 2))).toBe('"\\"x\\"""\\"x\\""');
  expect(print(surround(text, '"', '\n'))).toBe('\\""\\"x\\""\\n');
});

test('only text of the template is printed unescaped after a change of case', () => {
  const upper = (text: string) => text.toUpperCase();
  expect(print(changeCase(captured('"a": ', '"b"'), upper))).toBe('"A": \\"B\\"');
  expect(print(changeCase(captured('"a": ', 'ß"', '"'), upper))).toBe('"A": SS\\""');
  // A sigma at the end of a word has another form, so the whole text is changed at once where its length allows.
  expect(print(changeCase(captured('"Α', 'Σ"'), (text) => text.toLowerCase()))).toBe('"ας\\"');
});

test('strings stay strings, and Markup without trust of its own keeps its kind', () => {
  const upper = (text: string) => text.toUpperCase();
  expect([cut('abcd', 1, 3), cut('abcd', 2)]).toEqual(['bc', 'cd']);
  expect([repeatText('ab', 2), surround('b', 'a', 'c'), changeCase('ab', upper)]).toEqual([
    'abab',
    'abc',
    'AB',
  ]);
  const html = new Markup('<b>', 'html');
  expect(cut(html, 1, 2)).toEqual(new Markup('b', 'html'));
  expect(repeatText(html, 2)).toEqual(new Markup('<b><b>', 'html'));
  expect(surround(html, '1', '2')).toEqual(new Markup('1<b>2', 'html'));
  expect(changeCase(html, upper)).toEqual(new Markup('<B>', 'html'));
});

test('an appended part of a string has the trust of exactly its characters', () => {
  const builder = new TextBuilder();
  builder.append('abc');
  builder.appendPart('d"ef', 1, 3);
  expect(builder.value()).toBe('abc"e');
  builder.appendPart(captured('"', '"', '"'), 1, 3);
  builder.appendPart(new Markup('x"y', 'json'), 1);
  builder.appendPart(new Markup('x"y', 'html'), 1);
  expect(print(builder.value())).toBe('abc\\"e\\"""y\\"y');
});

test('no change of case shortens a character, so equal lengths mean equal places', () => {
  for (let code = 0; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code);
    if (character.toUpperCase().length < character.length) throw new Error(`upper ${code}`);
    if (character.toLowerCase().length < character.length) throw new Error(`lower ${code}`);
  }
});

test('joined text is escaped except for the parts that come from the template', () => {
  const joined = joinCaptured(
    [captured('"'), '"', 5n, null, new Markup('"', 'html'), new Markup('"', 'json')],
    rendering(),
  );
  expect(print(joined)).toBe('"\\"5None\\""');
  expect(joinCaptured(['a', 'b'], rendering())).toBe('ab');
  expect(joinCaptured([], rendering())).toBe('');
});

test('joining and printing texts use steps of the template budget', () => {
  const steps = (work: (budget: Budget) => void) => {
    const budget = newBudget();
    work(budget);
    return budget.steps;
  };
  const text = captured('"'.repeat(16), 'x'.repeat(16), '"') as CapturedText;
  expect(steps((budget) => printCaptured(text, { isInEscape: false, budget }))).toBe(6);
  const parts = ['x'.repeat(32), 'y'.repeat(32)];
  expect(steps((budget) => joinCaptured(parts, { budget } as Rendering))).toBe(4);
});

test('a value that begins with a quote cannot end the escape of a backslash before it', () => {
  const printAfter = (isInEscape: boolean, ...parts: string[]) =>
    printCaptured(captured(...parts) as CapturedText, { isInEscape, budget: newBudget() });
  expect(printAfter(false, '"\\', '"', '"')).toBe('"\\\\\\""');
  expect(printAfter(true, 'a', '"', '"')).toBe('a\\""');
  expect(printAfter(true, '', '"', '"')).toBe('\\\\""');
});

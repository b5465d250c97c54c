import fc from 'fast-check';
import { oneOf, phrase, words } from './phrase.js';
import { typedExpression } from './typed-expression.js';

/** Generates templates that print one expression, or that have statements nested at most three deep. */
export function anyTemplate(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.oneof(...[1, 2, 3, 4].map((steps) => printed(typedExpression(steps)))),
    sequence(statement(3)),
  );
}

const texts = [
  'text',
  ' ',
  '\n',
  '"k": ',
  ', ',
  '{"a": 1}',
  '  two  ',
  '\t',
  'é😀',
  '\r\n',
  '{ ',
  ' }',
  '% }',
  '#',
];
const names = ['x', 'y', 'n'];
const iterables = words`
  lst ; words ; users ; range(3) ; empty ; d ; s ; nope ; [1, 2.5] ; users|map(attribute="name") ; none_v ;
  (1, 2) ; words|sort ; d.items() ;
`;
const blockFilters = words`
  upper ; title ; trim ; e ; replace('a', 'b') ; indent(2) ; tojson ; length ; wordcount ; truncate(9) ;
`;

function statement(depth: number): fc.Arbitrary<string> {
  const expression = fc.oneof(typedExpression(1), typedExpression(2), typedExpression(3));
  if (depth <= 0) return fc.oneof(printed(expression), oneOf(texts));
  const body = sequence(statement(depth - 1));
  return fc.oneof(
    { weight: 2, arbitrary: printed(expression) },
    { weight: 1, arbitrary: oneOf([...texts, '{# comment #}', '{#- c -#}', '{% raw %}{{ x }}{% endraw %}']) },
    { weight: 1, arbitrary: phrase`${tag`if ${expression}`}${body}${tag`endif`}` },
    {
      weight: 1,
      arbitrary: phrase`${tag`if ${expression}`}${body}${tag`elif ${expression}`}${body}${tag`else`}${body}${tag`endif`}`,
    },
    ...loops(expression, body).map((arbitrary) => ({ weight: 1, arbitrary })),
    ...assignments(expression, body).map((arbitrary) => ({ weight: 1, arbitrary })),
    ...calls(expression, body).map((arbitrary) => ({ weight: 1, arbitrary })),
    { weight: 1, arbitrary: phrase`${tag`filter ${oneOf(blockFilters)}`}${body}${tag`endfilter`}` },
    {
      weight: 1,
      arbitrary: phrase`${tag`autoescape ${oneOf(['true', 'false'])}`}${body}${tag`endautoescape`}`,
    },
  );
}

function sequence(one: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.array(one, { minLength: 1, maxLength: 3 }).map((statements) => statements.join(''));
}

function loops(expression: fc.Arbitrary<string>, body: fc.Arbitrary<string>): fc.Arbitrary<string>[] {
  const pairs = oneOf(['d', 'empty_d', "{'q': 1}"]);
  return [
    phrase`${tag`for x in ${oneOf(iterables)}`}${body}${tag`endfor`}`,
    phrase`${tag`for x in ${oneOf(iterables)} if ${expression}`}${printed(fc.constant('loop.index'))}${body}${tag`else`}E${tag`endfor`}`,
    phrase`${tag`for k, v in ${pairs}.items()`}${body}{{ ',' if not loop.last }}${tag`endfor`}`,
    phrase`${tag`set ns = namespace(c=0)`}${tag`for q in ${oneOf(iterables)}`}${tag`set ns.c = ns.c + 1`}${body}${tag`endfor`}{{ ns.c }}`,
  ];
}

function assignments(expression: fc.Arbitrary<string>, body: fc.Arbitrary<string>): fc.Arbitrary<string>[] {
  return [
    phrase`${tag`set ${oneOf(names)} = ${expression}`}${printed(oneOf(names))}`,
    phrase`${tag`set y${oneOf(['', '|upper'])}`}${body}${tag`endset`}{{ y }}`,
    phrase`${tag`with y = ${expression}, x = y`}${body}{{ y }}${tag`endwith`}`,
  ];
}

function calls(expression: fc.Arbitrary<string>, body: fc.Arbitrary<string>): fc.Arbitrary<string>[] {
  return [
    phrase`${tag`macro m(a, b=${expression})`}${body}{{ a }}{{ b }}${tag`endmacro`}{{ m(${expression}) }}{{ m(1, b=x) }}`,
    phrase`${tag`macro c(z)`}[{{ caller(z) if caller else z }}]${tag`endmacro`}${tag`call(q) c(${expression})`}${body}{{ q }}${tag`endcall`}`,
  ];
}

function printed(expression: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return phrase`{{${sign()} ${expression} ${sign()}}}`;
}

function tag(pieces: TemplateStringsArray, ...parts: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return phrase`{%${sign()} ${phrase(pieces, ...parts)} ${sign()}%}`;
}

/** Generates the whitespace control `-` with a probability of one in seven, otherwise an empty string. */
function sign(): fc.Arbitrary<string> {
  return fc.oneof({ weight: 6, arbitrary: fc.constant('') }, { weight: 1, arbitrary: fc.constant('-') });
}

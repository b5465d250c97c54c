import type { Random } from './random.js';
import { generateTyped } from './typed-expressions.js';

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

/** A random template of a few statements. */
export function generateTemplate(random: Random): string {
  if (random.chance(0.5)) return output(random, generateTyped(random, 1 + random.integer(4)));
  const count = 1 + random.integer(3);
  let template = '';
  for (let index = 0; index < count; index++) template += generateStatement(random, 3);
  return template;
}

function generateStatement(random: Random, depth: number): string {
  const expression = () => generateTyped(random, 1 + random.integer(3));
  if (depth <= 0) return random.chance(0.5) ? output(random, expression()) : random.pick(texts);
  const body = () => {
    let text = '';
    for (let index = random.integer(3); index >= 0; index--) text += generateStatement(random, depth - 1);
    return text;
  };
  const tag = (text: string) => `{%${sign(random)} ${text} ${endSign(random)}%}`;
  switch (random.integer(16)) {
    case 0:
      return `${tag(`if ${expression()}`)}${body()}${tag('endif')}`;
    case 1:
      return `${tag(`if ${expression()}`)}${body()}${tag(`elif ${expression()}`)}${body()}${tag('else')}${body()}${tag('endif')}`;
    case 2:
      return `${tag(`for x in ${iterable(random)}`)}${body()}${tag('endfor')}`;
    case 3:
      return `${tag(`for x in ${iterable(random)} if ${expression()}`)}${output(random, 'loop.index')}${body()}${tag('else')}E${tag('endfor')}`;
    case 4:
      return `${tag(`for k, v in ${random.pick(['d', 'empty_d', "{'q': 1}"])}.items()`)}${body()}{{ ',' if not loop.last }}${tag('endfor')}`;
    case 5:
      return `${tag(`set ${random.pick(['x', 'y', 'n'])} = ${expression()}`)}${output(random, random.pick(['x', 'y', 'n']))}`;
    case 6:
      return `${tag(`set y${random.chance(0.3) ? '|upper' : ''}`)}${body()}${tag('endset')}{{ y }}`;
    case 7:
      return `${tag(`with y = ${expression()}, x = y`)}${body()}{{ y }}${tag('endwith')}`;
    case 8:
      return `${tag(`macro m(a, b=${expression()})`)}${body()}{{ a }}{{ b }}${tag('endmacro')}{{ m(${expression()}) }}{{ m(1, b=x) }}`;
    case 9:
      return `${tag(`filter ${random.pick(['upper', 'title', 'trim', 'e', "replace('a', 'b')", 'indent(2)', 'tojson', 'length', 'wordcount', 'truncate(9)'])}`)}${body()}${tag('endfilter')}`;
    case 10:
      return `${tag('macro c(z)')}[{{ caller(z) if caller else z }}]${tag('endmacro')}${tag(`call(q) c(${expression()})`)}${body()}{{ q }}${tag('endcall')}`;
    case 11:
      return `${tag('set ns = namespace(c=0)')}${tag(`for q in ${iterable(random)}`)}${tag('set ns.c = ns.c + 1')}${body()}${tag('endfor')}{{ ns.c }}`;
    case 12:
      return random.pick(['{# comment #}', '{#- c -#}', '{% raw %}{{ x }}{% endraw %}', random.pick(texts)]);
    case 13:
      return `${tag(`autoescape ${random.pick(['true', 'false'])}`)}${body()}${tag('endautoescape')}`;
    default:
      return output(random, expression());
  }
}

function output(random: Random, expression: string): string {
  return `{{${sign(random)} ${expression} ${endSign(random)}}}`;
}

function sign(random: Random): string {
  return random.chance(0.15) ? '-' : '';
}

function endSign(random: Random): string {
  return random.chance(0.15) ? '-' : '';
}

function iterable(random: Random): string {
  return random.pick([
    'lst',
    'words',
    'users',
    'range(3)',
    'empty',
    'd',
    's',
    'nope',
    '[1, 2.5]',
    'users|map(attribute="name")',
    'none_v',
    '(1, 2)',
    'words|sort',
    'd.items()',
  ]);
}

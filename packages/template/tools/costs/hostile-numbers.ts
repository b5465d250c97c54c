import { repeatExpression, type SizedTemplate } from './sized-template.js';

/** Templates that use integers, floats and their formats. */
export function hostileNumbers(): Record<string, SizedTemplate> {
  return { ...integers(), ...floats(), ...formats() };
}

function integers(): Record<string, SizedTemplate> {
  const big = '{% set big = 9 ** 1290 %}{% set half = 9 ** 645 %}{% set small = 9 ** 600 %}';
  return {
    'long integers that are added': repeatExpression('big + big - big', big),
    'long integers that are multiplied': repeatExpression('half * half', big),
    'long integers that are divided': repeatExpression('big // half', big),
    'long integers with a remainder': repeatExpression('big % small', big),
    'long integers as a quotient': repeatExpression('half / small', big),
    'long integers that are negated': repeatExpression('-big', big),
    'powers of integers': repeatExpression('9 ** 1290'),
    'powers of two': repeatExpression('2 ** 4095'),
    'powers that are too large': repeatExpression('3 ** 2580'),
    'long integers that are compared': repeatExpression('big < big', big),
    'long integers that are printed': (size) => `${big}{{ [big] * ${size} }}`,
    'long integers as JSON': (size) => `${big}{{ ([big] * ${size})|tojson }}`,
    'long integers in hexadecimal': repeatExpression("'%x' % big", big),
    'long integers in binary': repeatExpression("'{:b}'.format(big)", big),
    'long integers in groups': repeatExpression("'{:,}'.format(big)", big),
    'long integers that are rounded': (size) => `${big}{{ ([big] * ${size})|map('round', -9)|list|length }}`,
    'long integers that are rounded far': repeatExpression('big|round(-1200)', big),
    'long integers as keys': repeatExpression('{big: 1}', big),
    'long integers as floats': repeatExpression('f|float', '{% set f = 9 ** 320 %}'),
    'long integers as the sum of a list': (size) => `${big}{{ ([half] * ${size})|sum }}`,
    'long integers in a loop': (size) => `${big}{% for i in range(0, half * ${size}, half) %}{% endfor %}`,
    'long integers in a list': (size) => `${big}{{ range(0, half * ${size}, half)|list|length }}`,
    'long integers sought in a range': repeatExpression(
      'half in r',
      `${big}{% set r = range(0, small * 1000, small) %}`,
    ),
    'a long tuple of long integers': (size) => `${big}{{ {}[(big,) * ${size}] }}`,
    'integers that share their lowest bits': (size) =>
      `{{ range(0, ${size} * 2 ** 64, 2 ** 64)|unique|list|length }}`,
    'bits to count': repeatExpression('big.bit_count()', big),
    'length in bits': repeatExpression('big.bit_length()', big),
    'digits of another script': repeatExpression('s|int', "{% set s = '\\u0663' * 400 %}"),
    'mathematical digits': repeatExpression('s|int', "{% set s = '\\U0001d7ff' * 1200 %}"),
    'mathematical digits as a float': repeatExpression('s|float', "{% set s = '\\U0001d7ff' * 2500 %}"),
    'digits in another base': (size) => `{{ (['z' * 780] * ${size})|map('int', 0, 36)|list|length }}`,
    'digits in decimal': repeatExpression('s|int', "{% set s = '9' * 1200 %}"),
    'steps of a range that grow': (size) =>
      `{% set ns = namespace(r=range(1)) %}{% for i in range(${size}) %}{% set ns.r = ns.r[::10 ** 15] %}{% endfor %}`,
  };
}

function floats(): Record<string, SizedTemplate> {
  return {
    'powers of floats': repeatExpression('0.1 ** 0.3'),
    'powers of negative floats': repeatExpression('(-0.1) ** 0.3'),
    'tiny floats that are rounded': repeatExpression('5e-324|round(300)'),
    'huge floats that are rounded': repeatExpression('1.5e300|round(-200)'),
    'floats that are rounded up': repeatExpression("1.2345|round(2, 'ceil')"),
    'floats that are rounded': repeatExpression('1.2345|round(2)'),
    'ties that are rounded': repeatExpression('0.125|round(2)'),
    'floats that are printed': repeatExpression("'' ~ 1.2345678901234567"),
    'tiny floats with 17 digits': repeatExpression("'%.17g' % 5e-324"),
    'tiny floats with an exponent': repeatExpression("'%e' % 5e-324"),
    'tiny floats with 300 digits': repeatExpression("'%.300f' % 5e-324"),
    'tiny floats with 2,000 digits': repeatExpression("'%.2000f' % 5e-324"),
    'tiny floats with 2,000 significant digits': repeatExpression("'%.2000e' % 5e-324"),
    'huge floats with two digits': repeatExpression("'%.2f' % 1.5e300"),
    'tiny floats as a ratio': repeatExpression('5e-324.as_integer_ratio()'),
    'floats in hexadecimal': repeatExpression('0.1.hex()'),
    'floats as a file size': repeatExpression('123456789.5|filesizeformat'),
    'text that is formatted as a float': repeatExpression(
      'f % s',
      "{% set s = ' ' * 20000 ~ '1' %}{% set f = '%f'|e %}",
    ),
    'text read as a float': repeatExpression('s|float', "{% set s = '1' * 1000 %}"),
    'floats as keys': repeatExpression('{1e300: 1}'),
    'remainders of floats': repeatExpression('1e300 % 0.7'),
    'quotients of floats': repeatExpression('1e300 // 0.7'),
  };
}

function formats(): Record<string, SizedTemplate> {
  return {
    'a wide number in groups': (size) => `{{ '{:0=${size},}'.format(1)|length }}`,
    'short formats': repeatExpression("'{}{}{}'.format(1, 2, 3)"),
    'formats with a specification': repeatExpression("'{:>8.2f}'.format(1.5)"),
    'formats with nested fields': repeatExpression("'{:{}.{}f}'.format(1.5, 8, 2)"),
    'formats that look up attributes': repeatExpression("'{0.id}{0[id]}'.format(alert)"),
    'percent formats': repeatExpression("'%s %d %.1f' % ('a', 1, 1.5)"),
    'percent formats of a mapping': repeatExpression("'%(id)s' % alert"),
    'wide percent formats': repeatExpression("'%3000d' % 1"),
    'percent signs': (size) => `{{ ('%%' * ${size}) % () }}`,
    'ASCII forms of text': repeatExpression("'%a' % s", "{% set s = 'é' * 500 %}"),
    'printed forms of text': repeatExpression("'%r' % s", "{% set s = '\\x01' * 500 %}"),
  };
}

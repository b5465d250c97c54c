import fc from 'fast-check';
import { anyExpression } from './any-expression.js';
import { oneOf, words } from './phrase.js';

type Kind = 'text' | 'number' | 'list' | 'dict' | 'users' | 'truth';

interface Typed {
  readonly kind: Kind;
  readonly text: string;
}

const atoms: Readonly<Record<Kind, readonly string[]>> = {
  text: words`
    s ; u ; e ; h ; ml ; alert_rule_name ; model_name ; bound ; fired_at ; words[0] ; 'Foo bar-baz' ;
    'a,b,,c' ; '  pad  ' ; 'it\'s' ; '<x>' ; 'well-known e-mail -- and so on' ;
  `,
  number: words`
    n ; i ; f ; metric_value ; threshold ; big ; 0 ; 1 ; 7 ; 2.5 ; 0.125 ; 1e-5 ; 1e16 ; 123456.789 ;
    lst[0] ; users[1].age ; t ;
  `,
  list: words`
    lst ; floats ; words ; [3, 1, 2] ; ['b', 'A', 'c', 'a'] ; range(5) ; (1, 2, 3) ; empty ;
    users[0].tags ; d.keys() ; [[2, 1], [1, 5]] ;
  `,
  dict: words`
    d ; {'a': 1, 'B': 2} ; users[0] ; empty_d ; nested[0] ; dict(x=1, y='z') ; {1: 'one', 2: 'two'} ;
  `,
  users: words`
    users ;
  `,
  truth: words`
    t ; true ; false ; n > 1 ; bound == 'lower_bound' ; nope is defined ; metric_value < threshold ;
    not e ; 'a' in words ; 1 in lst ;
  `,
};

/**
 * Operations by the kind of their operand. Each is `{kind of the result}:{expression}`. In the expression, `%` is
 * replaced by the operand, and `%t`, `%n`, `%l` by another text, number or list.
 */
const shapes: Readonly<Record<Kind, readonly string[]>> = {
  text: words`
    text:%|upper ; text:%|lower ; text:%|title ; text:%|capitalize ; text:%|trim ;
    text:%|replace('o', '0') ; text:%|replace(' ', '_', 1) ; text:%|truncate(9) ;
    text:%|truncate(9, true) ; text:%|truncate(12, false, '…', 0) ; text:%|center(20) ;
    text:%|indent(2) ; text:%|indent(3, true, true) ; text:%|wordwrap(8) ; text:%|wordwrap(5, true) ;
    text:%|reverse ; text:%|e ; text:%|striptags ; text:%|urlize ; text:%|urlencode ; text:%|safe ;
    text:%|forceescape ; text:%|tojson ; text:% ~ %t ; text:% + %t ; text:% * 2 ; text:%[1:4] ;
    text:%[::-1] ; text:%[-3:] ; text:%[0] ; text:%.upper() ; text:%.title() ; text:%.swapcase() ;
    text:%.replace('a', 'b') ; text:%.strip() ; text:%.center(15, '-') ; text:%.zfill(12) ;
    text:% if e else %t ; text:%|default('x', true) ; text:'%s|%5s|%-5s' % (%, %t, n) ;
    text:'{:>12}|{!r}'.format(%, %t) ; list:% ; number:% ; dict:% ; text:%|string ; text:%|join('-') ;
    text:'<' ~ %|e ~ '>' ; text:%|e + %t ; text:(%|safe) ~ %t ; text:[%, %t]|join(', ') ;
  `,
  number: words`
    number:%|round ; number:%|round(1) ; number:%|round(2) ; number:%|round(-1) ;
    number:%|round(2, 'ceil') ; number:%|round(1, 'floor') ; number:%|int ; number:%|float ;
    number:%|abs ; number:% + %n ; number:% - %n ; number:% * %n ; number:% / 3 ; number:% // 2 ;
    number:% % 3 ; number:% ** 2 ; number:-% ; text:%|string ; text:'%.2f' % % ; text:'%d' % % ;
    text:'%g' % % ; text:'%e' % % ; text:'%+08.3f' % % ; text:'{:,.2f}'.format(%) ;
    text:'{:.3g}'.format(%) ; text:'{:>10.1%}'.format(%) ; text:'{:e}'.format(%) ; text:'{}'.format(%) ;
    text:'{:012,.1f}'.format(%) ; text:'{:+}'.format(%) ; text:'{:.4}'.format(%) ;
    text:%|filesizeformat ; text:%|tojson ; text:% ~ %n ; truth:% > %n ; truth:% is divisibleby 3 ;
    truth:% is odd ; truth:% <= %n <= 9 ; text:%|pprint ;
  `,
  list: words`
    list:%|sort ; list:%|sort(reverse=true) ; list:%|reverse|list ; list:%|list ; list:%|unique|list ;
    list:%|map("string")|list ; list:%|map('upper')|list ; list:%|select('string')|list ;
    list:%|reject('none')|list ; list:%|select('gt', 1)|list ; list:%|batch(2)|list ;
    list:%|batch(3, '-')|list ; list:%|slice(2)|list ; list:%|slice(3, 0)|list ; list:%[1:] ;
    list:%[::-1] ; list:%|list + [1] ; text:%|join ; text:%|join(', ') ; text:%|first ; text:%|last ;
    text:%|random ;
    text:%|min ; text:%|max ; number:%|length ; number:%|sum ; text:%|tojson ; text:%|tojson(2) ;
    text:%|string ; text:%|pprint ; truth:1 in % ; truth:% == %l ; text:%|e ;
    text:%|map('round', 1)|join(' ') ; list:%|map('replace', 'a', 'b')|list ; text:%|groupby(0)|list ;
  `,
  dict: words`
    list:%|dictsort ; list:%|dictsort(false, 'value') ; list:%|items|list ; list:%.items()|list ;
    list:%.keys()|list ; list:%.values()|list ; text:%.get('a') ; text:%.get('zz', 'q') ; text:%.a ;
    text:%['b'] ; text:%|length ; text:%|tojson ; text:%|string ; text:%|urlencode ; text:%|xmlattr ;
    truth:'a' in % ; text:%|first ; dict:dict(%, q=1) ; text:%|pprint ; list:%|list ;
    text:%|tojson(indent=1) ;
  `,
  users: words`
    users:%|sort(attribute='name') ; users:%|sort(attribute='age,name', reverse=true) ;
    users:%|selectattr('on')|list ; users:%|rejectattr('age', 'lt', 28)|list ;
    list:%|map(attribute='name')|list ; list:%|map(attribute='tags.0', default='-')|list ;
    number:%|sum(attribute='age') ; text:%|groupby('age')|list ; text:%|groupby('on')|map('last')|list ;
    dict:%|random ; dict:%|min(attribute='age') ; dict:%|max(attribute='name') ; text:%|join(', ', attribute='name') ;
    list:%|unique(attribute='age')|map(attribute='name')|list ; dict:%[0] ; text:%|tojson ;
    users:%[1:] ; number:%|length ;
  `,
  truth: words`
    text:%|string ; truth:not % ; truth:% and %t ; truth:% or %n ; text:'y' if % else 'n' ;
    text:%|tojson ; number:%|int ; truth:% is true ; truth:(%) == 1 ; text:%|lower ;
  `,
};

/**
 * Generates expressions. Most have `steps` operations and are valid in Jinja2, so that values are compared and not only
 * errors.
 */
export function typedExpression(steps: number): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 6, arbitrary: typed(steps).map(({ text }) => text) },
    { weight: 1, arbitrary: anyExpression(2) },
  );
}

function typed(steps: number): fc.Arbitrary<Typed> {
  if (steps === 0) return fc.oneof(...kinds.map(atomOf));
  return typed(steps - 1).chain(operationOn);
}

const kinds = Object.keys(atoms) as Kind[];

function atomOf(kind: Kind): fc.Arbitrary<Typed> {
  return oneOf(atoms[kind]).map((text) => ({ kind, text }));
}

function operationOn({ kind, text }: Typed): fc.Arbitrary<Typed> {
  const operand = /^[\w.[\]]+$/.test(text) ? text : `(${text})`;
  return oneOf(shapes[kind]).chain((shape) => {
    const colon = shape.indexOf(':');
    const result = shape.slice(0, colon) as Kind;
    return fillShape(shape.slice(colon + 1), operand).map((filled) => ({ kind: result, text: filled }));
  });
}

const furtherKinds: Readonly<Record<string, Kind>> = { t: 'text', n: 'number', l: 'list' };

/** Replaces the placeholders of an operation. Text inside quotes is a format string and is not changed. */
function fillShape(shape: string, operand: string): fc.Arbitrary<string> {
  const parts = shape.split(/('(?:\\.|[^'\\])*')/);
  return fc
    .tuple(...parts.map((part, index) => (index % 2 === 1 ? fc.constant(part) : fillCode(part, operand))))
    .map((filled) => filled.join(''));
}

function fillCode(code: string, operand: string): fc.Arbitrary<string> {
  const holes = /(%[tnl](?!\w)|%(?! \d| %| \(|\d)|(?<=% )%)/;
  const parts = code.split(holes).map((part, index): fc.Arbitrary<string> => {
    if (index % 2 === 0) return fc.constant(part);
    const kind = furtherKinds[part.charAt(1)];
    return kind === undefined ? fc.constant(operand) : oneOf(atoms[kind]);
  });
  return fc.tuple(...parts).map((filled) => filled.join(''));
}

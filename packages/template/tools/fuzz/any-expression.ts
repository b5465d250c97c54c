import fc from 'fast-check';
import { oneOf, phrase, words } from './phrase.js';
import { sampleValues } from './sample-values.js';

const names = Object.keys(sampleValues);
const localNames = words`
  x ; y ; k ; v ; loop.index ; loop.last ; nope ; d.a ; d.zz ; users[0].name ; nested[0].k ;
`;
const literals = words`
  0 ; 1 ; 2 ; -3 ; 10 ; 1_000 ; 0x1f ; 1.0 ; 0.5 ; 2.675 ; 1e3 ; 1e16 ; 1.5e-7 ; 3.14159 ; '' ; 'a' ;
  'Foo bar-baz' ; "it's" ; '<b>&</b>' ; '%s' ; '%05.2f' ; '{:>8}' ; '1,2,,3' ; '42' ; ' 7 ' ; '-0.5' ;
  'é\n' ; true ; false ; none ; [] ; {} ; () ; [1, 2, 3] ; ['b', 'A', 'c'] ; (1, 2) ;
  {'a': 1, 'b': [1, 2]} ; [[2, 1], [1, 5]] ; [{'a': 1}, {'a': 2}] ; range(4) ; range(5, 0, -2) ;
  dict(a=1, b='z') ; (1,) ; [1, 1.0, true, 'x', 'X'] ;
`;
const binary = words`
  + ; - ; * ; / ; // ; % ; ** ; ~ ; and ; or ; == ; != ; < ; <= ; > ; >= ; in ; not in ;
`;
const filters = words`
  abs ; capitalize ; count ; random ; dictsort ; e ; escape ; filesizeformat ; first ; float ; forceescape ;
  int ; items|list ; join ; last ; length ; list ; lower ; max ; min ; pprint ; reverse ; reverse|list ;
  round ; safe ; sort ; string ; striptags ; sum ; title ; tojson ; trim ; unique|list ; upper ;
  urlencode ; urlize ; wordcount ; wordwrap ; xmlattr ; default('D') ; d('D', true) ; default(0) ;
  attr('upper') ; batch(2)|list ; batch(2, '-')|list ; slice(2)|list ; slice(3, 0)|list ; center(12) ;
  join(', ') ; join('-', attribute='name') ; map('upper')|list ; map(attribute='name')|list ;
  map(attribute='zz', default='-')|list ; map('string')|join('|') ; select|list ; select('odd')|list ;
  reject('none')|list ; selectattr('on')|map(attribute='name')|list ;
  rejectattr('age', 'gt', 26)|list|length ; selectattr('name', 'in', ['Ann'])|list ;
  sort(reverse=true) ; sort(attribute='age,name')|map(attribute='name')|list ;
  sort(case_sensitive=true) ; groupby('age')|list ; groupby('on')|map('first')|list ;
  sum(attribute='age') ; sum(start=10) ; min(attribute='age') ; max(case_sensitive=true) ; round(1) ;
  round(2) ; round(-1) ; round(1, 'ceil') ; round(1, 'floor') ; round(precision=3) ; truncate(8) ;
  truncate(8, true) ; truncate(10, false, '…', 0) ; indent ; indent(2, true) ;
  indent('> ', first=true, blank=true) ; replace('a', 'b') ; replace('o', '0', 1) ; replace('', '-') ;
  int(7) ; int(base=16) ; float(1.5) ; trim('h') ; tojson(2) ; dictsort(by="value") ;
  dictsort(true, "key", true) ; filesizeformat(true) ; format('x', 2) ; format(1) ; wordwrap(7) ;
  wordwrap(6, false, '|') ; urlize(12) ; unique(true)|list ;
  unique(attribute="age")|map(attribute="name")|list ;
`;
const tests = words`
  defined ; undefined ; none ; string ; number ; integer ; float ; boolean ; mapping ; sequence ;
  iterable ; callable ; odd ; even ; true ; false ; lower ; upper ; escaped ; divisibleby 3 ;
  divisibleby(2) ; eq 1 ; ne none ; gt 1 ; ge(2) ; lt 2.5 ; le 0 ; in [1, 2] ; in('abc') ; sameas none ;
  not none ; not string ; equalto 'a' ; == 3 ;
`;
const methods = words`
  .upper() ; .title() ; .split() ; .split(',') ; .split('a', 1) ; .strip() ; .replace('l', 'L') ;
  .find("o") ; .count("a") ; .startswith("h") ; .endswith('d') ; .capitalize() ; .swapcase() ;
  .zfill(6) ; .center(9, "*") ; .ljust(7) ; .rjust(7, ".") ; .isdigit() ; .isupper() ; .splitlines() ;
  .partition(' ') ; .rpartition('-') ; .items()|list ; .keys()|list ; .values()|list ; .get('a') ;
  .get('q', 0) ; .index(1) ; .lower() ; .isalpha() ; .casefold() ; .rsplit(None, 1) ;
  .removeprefix('h') ; .expandtabs(4) ; .is_integer() ; .bit_length() ; .copy() ; .join(["a", "b"]) ;
`;
const subscripts = words`
  [0] ; [-1] ; [5] ; [1:] ; [:2] ; [::-1] ; [1:3] ; [-2:] ; ['a'] ; [::2] ; [9:1:-1] ; [n] ; [none] ;
  ['zz'] ; .a ; .zz ; .0 ;
`;
const percentFormats = words`
  %s ; %d ; %5d| ; %05d ; %.2f ; %+.3f ; %e ; %g ; %x ; %-8s| ; %r ; %c ; %i%% ; %10.3e ; %#x ; %G ;
  % d ; %.3s ;
`;
const specs = words`
  :>8 ; :<6| ; :^9 ; :*^9 ; :.2f ; :+.1f ; :, ; :08.3f ; :d ; :e ; :g ; :.3g ; :% ; :.1% ; :x ; :#b ;
  :_ ; :n ; !r ; !s:>5 ; :.2 ; :010, ; :c ; :G ; :,.2f ;
`;

/** Generates expressions of any form, nested at most `depth` deep. Most of them fail in Jinja2 when rendered. */
export function anyExpression(depth: number): fc.Arbitrary<string> {
  if (depth <= 0) return atom;
  const inner = anyExpression(depth - 1);
  const operand = fc.oneof({ weight: 3, arbitrary: atom }, { weight: 2, arbitrary: phrase`(${inner})` });
  return fc.oneof(
    { weight: 3, arbitrary: atom },
    { weight: 2, arbitrary: phrase`${inner} ${oneOf(binary)} ${inner}` },
    { weight: 3, arbitrary: phrase`${operand}|${oneOf(filters)}` },
    { weight: 1, arbitrary: phrase`${operand}|${oneOf(filters)}|${oneOf(filters)}` },
    { weight: 1, arbitrary: phrase`${operand} is ${oneOf(tests)}` },
    { weight: 1, arbitrary: phrase`${operand}${oneOf(methods)}` },
    { weight: 1, arbitrary: phrase`${operand}${oneOf(subscripts)}` },
    { weight: 1, arbitrary: conditional(inner) },
    { weight: 1, arbitrary: fc.oneof(phrase`not ${inner}`, phrase`-${operand}`, phrase`+${operand}`) },
    { weight: 1, arbitrary: container(inner) },
    { weight: 1, arbitrary: format(inner) },
  );
}

const atom = fc.oneof(
  { weight: 5, arbitrary: oneOf(names) },
  { weight: 4, arbitrary: oneOf(literals) },
  { weight: 1, arbitrary: oneOf(localNames) },
);

function conditional(inner: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 4, arbitrary: phrase`${inner} if ${inner} else ${inner}` },
    { weight: 1, arbitrary: phrase`${inner} if ${inner}` },
  );
}

function container(inner: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof(
    phrase`[${inner}]`,
    phrase`[${inner}, ${inner}]`,
    phrase`(${inner}, ${inner})`,
    phrase`{'x': ${inner}, ${oneOf(['1', 'n', "'k'", 'threshold'])}: 1}`,
  );
}

function format(inner: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof(
    phrase`'${oneOf(percentFormats)}'|format(${inner})`,
    phrase`'${oneOf(percentFormats)}' % (${inner},)`,
    phrase`'%s and %s' % (${inner}, ${inner})`,
    phrase`'{${oneOf(['', '0'])}${oneOf(['', ...specs])}}'.format(${inner})`,
  );
}

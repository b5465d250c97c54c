import type { TokenType } from '../lexer/token.js';
import type { BinaryOperator, Compare, CompareOperator, Expression, UnaryExpr } from './nodes.js';
import { OperandParser } from './operands.js';

const compareOperators: ReadonlySet<string> = new Set(['eq', 'ne', 'lt', 'lteq', 'gt', 'gteq']);
const sumOperators: ReadonlyMap<TokenType, BinaryOperator> = new Map([
  ['add', '+'],
  ['sub', '-'],
]);
const productOperators: ReadonlyMap<TokenType, BinaryOperator> = new Map([
  ['mul', '*'],
  ['div', '/'],
  ['floordiv', '//'],
  ['mod', '%'],
]);
const powerOperators: ReadonlyMap<TokenType, BinaryOperator> = new Map([['pow', '**']]);
/**
 * Parses operators as Jinja2's parser does. Precedence from loosest to tightest: `if`, `or`, `and`, `not`, comparison,
 * `+ -`, `~`, `* / // %`, `**`, filters and tests, sign, postfix (attributes, subscripts and calls).
 */
export class ExpressionParser extends OperandParser {
  override parseExpression(withCondexpr = true): Expression {
    return this.nested(() => (withCondexpr ? this.#parseCondexpr() : this.#parseOr()));
  }

  #parseCondexpr(): Expression {
    const { offset } = this.stream.current;
    let expr1 = this.#parseOr();
    while (this.stream.skipIfName('if')) {
      const test = this.#parseOr();
      const expr2 = this.stream.skipIfName('else') ? this.nested(() => this.#parseCondexpr()) : null;
      expr1 = { kind: 'CondExpr', test, expr1, expr2, offset };
    }
    return expr1;
  }

  #parseOr(): Expression {
    const { offset } = this.stream.current;
    let left = this.#parseAnd();
    while (this.stream.skipIfName('or')) left = { kind: 'Or', left, right: this.#parseAnd(), offset };
    return left;
  }

  #parseAnd(): Expression {
    const { offset } = this.stream.current;
    let left = this.#parseNot();
    while (this.stream.skipIfName('and')) left = { kind: 'And', left, right: this.#parseNot(), offset };
    return left;
  }

  #parseNot(): Expression {
    if (!this.stream.isName('not')) return this.#parseCompare();
    const { offset } = this.stream.next();
    return { kind: 'Not', node: this.nested(() => this.#parseNot()), offset };
  }

  #parseCompare(): Expression {
    const { offset } = this.stream.current;
    const expr = this.#parseSum();
    const ops: Compare['ops'][number][] = [];
    for (let op = this.#parseCompareOperator(); op !== undefined; op = this.#parseCompareOperator()) {
      ops.push({ op, expr: this.#parseSum() });
    }
    return ops.length === 0 ? expr : { kind: 'Compare', expr, ops, offset };
  }

  #parseCompareOperator(): CompareOperator | undefined {
    const { type } = this.stream.current;
    if (compareOperators.has(type)) return this.stream.next().type as CompareOperator;
    if (this.stream.skipIfName('in')) return 'in';
    const next = this.stream.look();
    if (!this.stream.isName('not') || next.type !== 'name' || next.value !== 'in') return undefined;
    this.stream.skip(2);
    return 'notin';
  }

  #parseSum(): Expression {
    return this.#parseBinary(sumOperators, () => this.#parseConcat());
  }

  #parseConcat(): Expression {
    const { offset } = this.stream.current;
    const first = this.#parseProduct();
    if (!this.stream.is('tilde')) return first;
    const nodes = [first];
    while (this.stream.skipIf('tilde')) nodes.push(this.#parseProduct());
    return { kind: 'Concat', nodes, offset };
  }

  #parseProduct(): Expression {
    return this.#parseBinary(productOperators, () => this.#parsePower());
  }

  /** The power operator is left-associative in Jinja2, unlike in Python. */
  #parsePower(): Expression {
    return this.#parseBinary(powerOperators, () => this.#parseUnary());
  }

  #parseBinary(
    operators: ReadonlyMap<TokenType, BinaryOperator>,
    parseOperand: () => Expression,
  ): Expression {
    let left = parseOperand();
    for (;;) {
      const operator = operators.get(this.stream.current.type);
      if (operator === undefined) return left;
      const { offset } = this.stream.next();
      left = { kind: 'BinExpr', operator, left, right: parseOperand(), offset };
    }
  }

  #parseUnary(withFilter = true): Expression {
    const node = this.parsePostfix(this.#parseSigned());
    return withFilter ? this.parseFilterExpr(node) : node;
  }

  #parseSigned(): Expression {
    const { type } = this.stream.current;
    if (type !== 'sub' && type !== 'add') return this.parsePrimary();
    const { offset } = this.stream.next();
    const kind: UnaryExpr['kind'] = type === 'sub' ? 'Neg' : 'Pos';
    return { kind, node: this.nested(() => this.#parseUnary(false)), offset };
  }
}

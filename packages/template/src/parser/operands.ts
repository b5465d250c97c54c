import { describeToken, type TokenType } from '../lexer/token.js';
import { parseIntegerLiteral } from '../values/integers.js';
import type { Arguments, Call, Expression, Filter, Slice } from './nodes.js';
import type { TokenStream } from './token-stream.js';

const testArgumentStarts: ReadonlySet<TokenType> = new Set([
  'name',
  'string',
  'integer',
  'float',
  'lparen',
  'lbracket',
  'lbrace',
]);

/** Maximum nesting of expressions and statements. Without a limit, the recursive parser could overflow the stack. */
const maxNesting = 150;

export interface TupleRules {
  /**
   * If true, each item of the tuple is a name, a literal or an expression in brackets, without operators. The parser
   * uses this rule for the targets of assignments.
   */
  simplified?: boolean;
  withCondexpr?: boolean;
  explicitParentheses?: boolean;
}

/** Parses operands: names, literals and brackets, with the subscripts, calls, filters and tests that follow them. */
export abstract class OperandParser {
  protected readonly stream: TokenStream;
  #nesting = 0;

  constructor(stream: TokenStream) {
    this.stream = stream;
  }

  protected nested<Result>(parse: () => Result): Result {
    if (++this.#nesting > maxNesting) {
      this.stream.fail(`the template is nested more than ${maxNesting} deep`);
    }
    const result = parse();
    this.#nesting--;
    return result;
  }

  /** If `withCondexpr` is false, `if` ends the expression, as in `for x in list if test`. */
  abstract parseExpression(withCondexpr?: boolean): Expression;

  parseTuple(rules: TupleRules = {}): Expression {
    const { offset } = this.stream.current;
    const items: Expression[] = [];
    let isTuple = false;
    for (;;) {
      if (items.length > 0) this.stream.expect('comma');
      if (this.#isTupleEnd()) break;
      items.push(rules.simplified ? this.parsePrimary() : this.parseExpression(rules.withCondexpr));
      if (!this.stream.is('comma')) break;
      isTuple = true;
    }
    const only = items[0];
    if (!isTuple && only !== undefined) return only;
    if (!isTuple && !rules.explicitParentheses) {
      this.stream.fail(`Expected an expression, got '${describeToken(this.stream.current)}'`);
    }
    return { kind: 'Tuple', items, offset };
  }

  /**
   * Parses a chain of filters, and returns `node` with these filters. If `node` is null, the chain applies to the text
   * of a block. If `startInline` is true, the first filter has no `|` before it.
   */
  parseFilter(node: Expression | null, startInline = false): Expression | null {
    let result = node;
    for (let inline = startInline; inline || this.stream.is('pipe'); inline = false) {
      if (!inline) this.stream.next();
      const { offset } = this.stream.current;
      const name = this.#parseDottedName();
      const args = this.stream.is('lparen') ? this.#parseCallArguments() : noArguments();
      const filter: Filter = { kind: 'Filter', node: result, name, arguments: args, offset };
      result = filter;
    }
    return result;
  }

  #isTupleEnd(): boolean {
    const { type } = this.stream.current;
    return type === 'variable_end' || type === 'block_end' || type === 'rparen';
  }

  parsePrimary(): Expression {
    const token = this.stream.current;
    const { offset } = token;
    switch (token.type) {
      case 'name':
        this.stream.next();
        return parseName(token.value, offset);
      case 'string':
        return { kind: 'Const', value: this.#parseStrings(), offset };
      case 'integer':
        this.stream.next();
        return { kind: 'Const', value: parseIntegerLiteral(token.value, offset), offset };
      case 'float':
        this.stream.next();
        return { kind: 'Const', value: Number(token.value), offset };
      case 'lparen': {
        this.stream.next();
        const node = this.parseTuple({ explicitParentheses: true });
        this.stream.expect('rparen');
        return node;
      }
      case 'lbracket':
        return this.#parseList();
      case 'lbrace':
        return this.#parseDict();
      default:
        return this.stream.fail(`unexpected '${describeToken(token)}'`);
    }
  }

  #parseStrings(): string {
    let value = '';
    while (this.stream.is('string')) value += this.stream.next().value;
    return value;
  }

  #parseList(): Expression {
    const { offset } = this.stream.expect('lbracket');
    const items: Expression[] = [];
    this.#parseItems('rbracket', () => items.push(this.parseExpression()));
    return { kind: 'List', items, offset };
  }

  #parseDict(): Expression {
    const { offset } = this.stream.expect('lbrace');
    const items: { key: Expression; value: Expression }[] = [];
    this.#parseItems('rbrace', () => {
      const key = this.parseExpression();
      this.stream.expect('colon');
      items.push({ key, value: this.parseExpression() });
    });
    return { kind: 'Dict', items, offset };
  }

  /** Parses items separated by commas, with an optional trailing comma, and the closing bracket. */
  #parseItems(close: TokenType, parseItem: () => void): void {
    for (let first = true; !this.stream.is(close); first = false) {
      if (!first) this.stream.expect('comma');
      if (this.stream.is(close)) break;
      parseItem();
    }
    this.stream.expect(close);
  }

  protected parsePostfix(node: Expression): Expression {
    let result = node;
    for (;;) {
      if (this.stream.is('dot') || this.stream.is('lbracket')) result = this.#parseSubscript(result);
      else if (this.stream.is('lparen')) result = this.#parseCall(result);
      else return result;
    }
  }

  protected parseFilterExpr(node: Expression): Expression {
    let result = node;
    for (;;) {
      if (this.stream.is('pipe')) result = this.parseFilter(result) ?? result;
      else if (this.stream.isName('is')) result = this.#parseTest(result);
      else if (this.stream.is('lparen')) result = this.#parseCall(result);
      else return result;
    }
  }

  #parseSubscript(node: Expression): Expression {
    const token = this.stream.next();
    if (token.type === 'lbracket') return this.#parseItem(node, token.offset);
    const attribute = this.stream.next();
    if (attribute.type === 'name') {
      return { kind: 'Getattr', node, attr: attribute.value, offset: attribute.offset };
    }
    if (attribute.type !== 'integer') this.stream.fail('expected name or number', attribute.offset);
    const value = parseIntegerLiteral(attribute.value, attribute.offset);
    const arg: Expression = { kind: 'Const', value, offset: attribute.offset };
    return { kind: 'Getitem', node, arg, offset: attribute.offset };
  }

  #parseItem(node: Expression, offset: number): Expression {
    const items: Expression[] = [];
    while (!this.stream.is('rbracket')) {
      if (items.length > 0) this.stream.expect('comma');
      items.push(this.#parseSubscribed());
    }
    this.stream.expect('rbracket');
    const only = items.length === 1 ? items[0] : undefined;
    return { kind: 'Getitem', node, arg: only ?? { kind: 'Tuple', items, offset }, offset };
  }

  #parseSubscribed(): Expression {
    const { offset } = this.stream.current;
    const start = this.stream.is('colon') ? null : this.parseExpression();
    if (start !== null && !this.stream.is('colon')) return start;
    this.stream.next();
    const stop = this.#isSliceEnd() || this.stream.is('colon') ? null : this.parseExpression();
    const step = this.stream.skipIf('colon') && !this.#isSliceEnd() ? this.parseExpression() : null;
    const slice: Slice = { kind: 'Slice', start, stop, step, offset };
    return slice;
  }

  #isSliceEnd(): boolean {
    return this.stream.is('rbracket') || this.stream.is('comma');
  }

  #parseCall(node: Expression): Call {
    const { offset } = this.stream.current;
    return { kind: 'Call', node, arguments: this.#parseCallArguments(), offset };
  }

  #parseCallArguments(): Arguments {
    const { offset } = this.stream.expect('lparen');
    const args: Expression[] = [];
    const kwargs: { key: string; value: Expression }[] = [];
    let dynArgs: Expression | null = null;
    let dynKwargs: Expression | null = null;
    const ensure = (condition: boolean) => {
      if (!condition) this.stream.fail('invalid syntax for function call expression', offset);
    };
    this.#parseItems('rparen', () => {
      if (this.stream.is('mul')) {
        ensure(dynArgs === null && dynKwargs === null);
        this.stream.next();
        dynArgs = this.parseExpression();
      } else if (this.stream.is('pow')) {
        ensure(dynKwargs === null);
        this.stream.next();
        dynKwargs = this.parseExpression();
      } else if (this.stream.is('name') && this.stream.look().type === 'assign') {
        ensure(dynKwargs === null);
        const key = this.stream.next().value;
        this.stream.next();
        kwargs.push({ key, value: this.parseExpression() });
      } else {
        ensure(dynArgs === null && dynKwargs === null && kwargs.length === 0);
        args.push(this.parseExpression());
      }
    });
    return { args, kwargs, dynArgs, dynKwargs };
  }

  #parseDottedName(): string {
    let name = this.stream.expect('name').value;
    while (this.stream.skipIf('dot')) name += `.${this.stream.expect('name').value}`;
    return name;
  }

  #parseTest(node: Expression): Expression {
    this.stream.next();
    const negated = this.stream.skipIfName('not');
    const { offset } = this.stream.current;
    const name = this.#parseDottedName();
    const test: Expression = { kind: 'Test', node, name, arguments: this.#parseTestArguments(), offset };
    return negated ? { kind: 'Not', node: test, offset } : test;
  }

  #parseTestArguments(): Arguments {
    if (this.stream.is('lparen')) return this.#parseCallArguments();
    if (!testArgumentStarts.has(this.stream.current.type) || this.stream.isName('else', 'or', 'and')) {
      return noArguments();
    }
    if (this.stream.isName('is')) this.stream.fail('You cannot chain multiple tests with is');
    return { ...noArguments(), args: [this.parsePostfix(this.parsePrimary())] };
  }
}

function parseName(name: string, offset: number): Expression {
  switch (name) {
    case 'true':
    case 'True':
      return { kind: 'Const', value: true, offset };
    case 'false':
    case 'False':
      return { kind: 'Const', value: false, offset };
    case 'none':
    case 'None':
      return { kind: 'Const', value: null, offset };
    default:
      return { kind: 'Name', name, ctx: 'load', offset };
  }
}

function noArguments(): Arguments {
  return { args: [], kwargs: [], dynArgs: null, dynKwargs: null };
}

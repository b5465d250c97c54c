import { tokenize } from '../lexer/lexer.js';
import { ExpressionParser } from './expressions.js';
import type {
  AssignBlock,
  AssignTarget,
  Expression,
  Filter,
  If,
  Name,
  Output,
  Statement,
  TemplateData,
  TemplateNode,
  With,
} from './nodes.js';
import { unexpectedEnd, unknownTag } from './tag-errors.js';
import { TokenStream } from './token-stream.js';

/** Parses a normalised source. Throws `CompileFailure`. */
export function parse(source: string): TemplateNode {
  return new Parser(new TokenStream(tokenize(source))).parse();
}

/** Parses statements as Jinja2's parser does. */
class Parser extends ExpressionParser {
  static readonly #tags = new Map<string, (parser: Parser) => Statement>([
    ['for', (parser) => parser.#parseFor()],
    ['if', (parser) => parser.#parseIf()],
    ['block', (parser) => parser.#parseBlock()],
    ['print', (parser) => parser.#parsePrint()],
    ['macro', (parser) => parser.#parseMacro()],
    ['set', (parser) => parser.#parseSet()],
    ['with', (parser) => parser.#parseWith()],
    ['autoescape', (parser) => parser.#parseAutoescape()],
    ['call', (parser) => parser.#parseCallBlock()],
    ['filter', (parser) => parser.#parseFilterBlock()],
  ]);

  readonly #tagStack: string[] = [];
  readonly #endTokenStack: (readonly string[])[] = [];

  parse(): TemplateNode {
    return { kind: 'Template', body: this.#subparse(null), offset: 0 };
  }

  /** Parses statements up to the name of one of the end tags, or to the end of the source if no end tag is found. */
  #subparse(endTags: readonly string[] | null): Statement[] {
    const body: Statement[] = [];
    let buffer: (TemplateData | Expression)[] = [];
    const flush = () => {
      const first = buffer[0];
      if (first !== undefined) body.push({ kind: 'Output', nodes: buffer, offset: first.offset });
      buffer = [];
    };
    if (endTags !== null) this.#endTokenStack.push(endTags);
    while (!this.stream.is('eof')) {
      if (this.stream.is('block_begin')) {
        flush();
        this.stream.next();
        if (endTags !== null && this.stream.isName(...endTags)) break;
        body.push(this.nested(() => this.#parseStatement()));
        this.stream.expect('block_end');
      } else {
        buffer.push(this.#parseData());
      }
    }
    flush();
    if (endTags !== null) this.#endTokenStack.pop();
    return body;
  }

  #parseData(): TemplateData | Expression {
    const token = this.stream.next();
    if (token.type === 'data') return { kind: 'TemplateData', data: token.value, offset: token.offset };
    const node = this.parseTuple();
    this.stream.expect('variable_end');
    return node;
  }

  #parseStatement(): Statement {
    const token = this.stream.current;
    if (token.type !== 'name') this.stream.fail('tag name expected');
    this.#tagStack.push(token.value);
    const statement = this.#parseTag(token.value);
    this.#tagStack.pop();
    return statement;
  }

  #parseTag(tag: string): Statement {
    const parse = Parser.#tags.get(tag);
    if (parse !== undefined) return parse(this);
    this.#tagStack.pop();
    return this.#failUnknownTag(tag);
  }

  #failUnknownTag(tag: string): never {
    const nesting = { openTags: this.#tagStack, endTags: this.#endTokenStack };
    throw unknownTag(tag, nesting, this.stream.current.offset);
  }

  #failEof(expected: readonly string[]): never {
    const nesting = { openTags: this.#tagStack, endTags: [...this.#endTokenStack, expected] };
    throw unexpectedEnd(nesting, this.stream.current.offset);
  }

  /** Parses the body of a tag. If `drop` is true, skips the name of the end tag. */
  #parseStatements(endTags: readonly string[], drop = false): Statement[] {
    this.stream.skipIf('colon');
    this.stream.expect('block_end');
    const body = this.#subparse(endTags);
    if (this.stream.is('eof')) this.#failEof(endTags);
    if (drop) this.stream.next();
    return body;
  }

  #parseFor(): Statement {
    const { offset } = this.stream.next();
    const target = this.#parseAssignTarget();
    this.stream.expectName('in');
    const iter = this.parseTuple({ withCondexpr: false });
    const test = this.stream.skipIfName('if') ? this.parseExpression() : null;
    const recursive = this.stream.skipIfName('recursive');
    const body = this.#parseStatements(['endfor', 'else']);
    const else_ = this.stream.next().value === 'endfor' ? [] : this.#parseStatements(['endfor'], true);
    return { kind: 'For', target, iter, body, else_, test, recursive, offset };
  }

  #parseIf(): Statement {
    const branches: { test: Expression; body: Statement[]; offset: number }[] = [];
    for (;;) {
      const { offset } = this.stream.next();
      const test = this.parseTuple({ withCondexpr: false });
      branches.push({ test, body: this.#parseStatements(['elif', 'else', 'endif']), offset });
      if (!this.stream.isName('elif')) break;
    }
    const else_ = this.stream.next().value === 'else' ? this.#parseStatements(['endif'], true) : [];
    const [first, ...rest] = branches.map((branch): If => ({ kind: 'If', elif_: [], else_: [], ...branch }));
    return { ...first!, elif_: rest, else_ };
  }

  #parseBlock(): Statement {
    const { offset } = this.stream.next();
    const name = this.stream.expect('name').value;
    const scoped = this.stream.skipIfName('scoped');
    const required = this.stream.skipIfName('required');
    if (this.stream.is('sub')) {
      this.stream.fail(
        'Block names in Jinja have to be valid Python identifiers and may not contain hyphens, use an underscore instead.',
      );
    }
    const body = this.#parseStatements(['endblock'], true);
    if (required && !body.every(isBlank)) {
      this.stream.fail('Required blocks can only contain comments or whitespace', offset);
    }
    this.stream.skipIfName(name);
    return { kind: 'Block', name, body, scoped, required, offset };
  }

  #parsePrint(): Statement {
    const { offset } = this.stream.next();
    const nodes: Expression[] = [];
    while (!this.stream.is('block_end')) {
      if (nodes.length > 0) this.stream.expect('comma');
      nodes.push(this.parseExpression());
    }
    const output: Output = { kind: 'Output', nodes, offset };
    return output;
  }

  #parseMacro(): Statement {
    const { offset } = this.stream.next();
    const { name } = this.#parseNameTarget();
    const signature = this.#parseSignature();
    const body = this.#parseStatements(['endmacro'], true);
    return { kind: 'Macro', name, ...signature, body, offset };
  }

  #parseSignature(): { args: Name[]; defaults: Expression[] } {
    const args: Name[] = [];
    const defaults: Expression[] = [];
    this.stream.expect('lparen');
    while (!this.stream.is('rparen')) {
      if (args.length > 0) this.stream.expect('comma');
      const arg = this.#parseNameTarget();
      arg.ctx = 'param';
      if (this.stream.skipIf('assign')) defaults.push(this.parseExpression());
      else if (defaults.length > 0) this.stream.fail('non-default argument follows default argument');
      args.push(arg);
    }
    this.stream.expect('rparen');
    return { args, defaults };
  }

  #parseCallBlock(): Statement {
    const { offset } = this.stream.next();
    const signature = this.stream.is('lparen') ? this.#parseSignature() : { args: [], defaults: [] };
    const call = this.parseExpression();
    if (call.kind !== 'Call') this.stream.fail('expected call', offset);
    const body = this.#parseStatements(['endcall'], true);
    return { kind: 'CallBlock', call, ...signature, body, offset };
  }

  #parseFilterBlock(): Statement {
    const { offset } = this.stream.next();
    const filter = this.parseFilter(null, true) as Filter;
    const body = this.#parseStatements(['endfilter'], true);
    return { kind: 'FilterBlock', filter, body, offset };
  }

  #parseSet(): Statement {
    const { offset } = this.stream.next();
    const target = this.#parseAssignTarget({ withNamespace: true });
    if (this.stream.skipIf('assign')) return { kind: 'Assign', target, node: this.parseTuple(), offset };
    const filter = this.parseFilter(null) as Filter | null;
    const body = this.#parseStatements(['endset'], true);
    const block: AssignBlock = { kind: 'AssignBlock', target, filter, body, offset };
    return block;
  }

  #parseWith(): Statement {
    const { offset } = this.stream.next();
    const targets: AssignTarget[] = [];
    const values: Expression[] = [];
    while (!this.stream.is('block_end')) {
      if (targets.length > 0) this.stream.expect('comma');
      const target = this.#parseAssignTarget();
      setContext(target, 'param');
      targets.push(target);
      this.stream.expect('assign');
      values.push(this.parseExpression());
    }
    const node: With = {
      kind: 'With',
      targets,
      values,
      body: this.#parseStatements(['endwith'], true),
      offset,
    };
    return node;
  }

  #parseAutoescape(): Statement {
    const { offset } = this.stream.next();
    const autoescape = this.parseExpression();
    const body = this.#parseStatements(['endautoescape'], true);
    return { kind: 'Scope', body: [{ kind: 'ScopedEvalContextModifier', autoescape, body, offset }], offset };
  }

  #parseAssignTarget(rules: { withNamespace?: boolean } = {}): AssignTarget {
    if (rules.withNamespace && this.stream.look().type === 'dot') {
      const { value: name, offset } = this.stream.expect('name');
      this.stream.next();
      return { kind: 'NSRef', name, attr: this.stream.expect('name').value, offset };
    }
    return this.#asTarget(this.parseTuple({ simplified: true }));
  }

  #asTarget(node: Expression): AssignTarget {
    if (node.kind === 'Name') {
      node.ctx = 'store';
      return node;
    }
    if (node.kind === 'Tuple') {
      return { kind: 'Tuple', items: node.items.map((item) => this.#asTarget(item)), offset: node.offset };
    }
    return this.stream.fail(`can't assign to '${node.kind.toLowerCase()}'`, node.offset);
  }

  #parseNameTarget(): Name {
    const { value: name, offset } = this.stream.expect('name');
    if (['true', 'false', 'none', 'True', 'False', 'None'].includes(name)) {
      this.stream.fail(`can't assign to '${name}'`, offset);
    }
    return { kind: 'Name', name, ctx: 'store', offset };
  }
}

function setContext(target: AssignTarget, ctx: 'param'): void {
  if (target.kind === 'Name') target.ctx = ctx;
  else if (target.kind === 'Tuple') for (const item of target.items) setContext(item, ctx);
}

function isBlank(statement: Statement): boolean {
  return (
    statement.kind === 'Output' &&
    statement.nodes.every((node) => node.kind === 'TemplateData' && node.data.trim() === '')
  );
}

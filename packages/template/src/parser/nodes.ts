import type { Ref, Symbols } from '../compiler/symbols.js';

/**
 * Nodes of the syntax tree, with the names of Jinja2's `nodes.py`. `offset` is an index in the source. The compiler
 * sets the optional fields, for example `symbols` and `ref` when it resolves names.
 */
interface Base {
  readonly offset: number;
}

export interface TemplateNode extends Base {
  readonly kind: 'Template';
  readonly body: Statement[];
}

export interface Output extends Base {
  readonly kind: 'Output';
  readonly nodes: (TemplateData | Expression)[];
}
export interface For extends Base {
  readonly kind: 'For';
  readonly target: AssignTarget;
  readonly iter: Expression;
  readonly body: Statement[];
  readonly else_: Statement[];
  readonly test: Expression | null;
  readonly recursive: boolean;
  scopes?: {
    body: Symbols;
    else_: Symbols;
    test: Symbols;
    testTarget: AssignTarget;
    loopSlot: number | undefined;
  };
}
export interface If extends Base {
  readonly kind: 'If';
  readonly test: Expression;
  readonly body: Statement[];
  readonly elif_: If[];
  readonly else_: Statement[];
}
/** Fields that macros and call blocks have in common. */
interface Callable extends Base {
  readonly args: Name[];
  readonly defaults: Expression[];
  readonly body: Statement[];
  signature?: MacroSignature;
}
export interface MacroSignature {
  symbols: Symbols;
  /**
   * Slots of the declared arguments, followed by the slots of `caller`, `kwargs` and `varargs`. Each of these names has
   * a slot only if the body reads the name before setting it, and the name is not a declared argument.
   */
  slots: number[];
  accessesCaller: boolean;
  accessesKwargs: boolean;
  accessesVarargs: boolean;
}
export interface Macro extends Callable {
  readonly kind: 'Macro';
  readonly name: string;
  target?: Ref;
  exports?: boolean;
}
export interface CallBlock extends Callable {
  readonly kind: 'CallBlock';
  readonly call: Call;
}
export interface FilterBlock extends Base {
  readonly kind: 'FilterBlock';
  readonly body: Statement[];
  readonly filter: Filter;
  symbols?: Symbols;
}
export interface With extends Base {
  readonly kind: 'With';
  readonly targets: AssignTarget[];
  readonly values: Expression[];
  readonly body: Statement[];
  symbols?: Symbols;
}
export interface Block extends Base {
  readonly kind: 'Block';
  readonly name: string;
  readonly body: Statement[];
  readonly scoped: boolean;
  readonly required: boolean;
  /** Names of the surrounding scopes that a scoped block can read. */
  visible?: [string, Ref][];
}
export interface Scope extends Base {
  readonly kind: 'Scope';
  readonly body: Statement[];
  symbols?: Symbols;
}
export interface ScopedEvalContextModifier extends Base {
  readonly kind: 'ScopedEvalContextModifier';
  readonly autoescape: Expression;
  readonly body: Statement[];
}
export interface Assign extends Base {
  readonly kind: 'Assign';
  readonly target: AssignTarget;
  readonly node: Expression;
  /** True at the top level, where assigned names become visible to blocks. */
  exports?: boolean;
}
export interface AssignBlock extends Base {
  readonly kind: 'AssignBlock';
  readonly target: AssignTarget;
  readonly filter: Filter | null;
  readonly body: Statement[];
  symbols?: Symbols;
  exports?: boolean;
}

export interface TemplateData extends Base {
  readonly kind: 'TemplateData';
  readonly data: string;
}
export interface Name extends Base {
  readonly kind: 'Name';
  readonly name: string;
  ctx: 'load' | 'store' | 'param';
  ref?: Ref;
}
export interface NSRef extends Base {
  readonly kind: 'NSRef';
  readonly name: string;
  readonly attr: string;
  ref?: Ref;
}
interface Const extends Base {
  readonly kind: 'Const';
  readonly value: string | bigint | number | boolean | null;
}
interface Tuple extends Base {
  readonly kind: 'Tuple';
  readonly items: Expression[];
}
interface List extends Base {
  readonly kind: 'List';
  readonly items: Expression[];
}
export interface Dict extends Base {
  readonly kind: 'Dict';
  readonly items: { readonly key: Expression; readonly value: Expression }[];
}
interface CondExpr extends Base {
  readonly kind: 'CondExpr';
  readonly test: Expression;
  readonly expr1: Expression;
  readonly expr2: Expression | null;
}
export interface Arguments {
  readonly args: Expression[];
  readonly kwargs: { readonly key: string; readonly value: Expression }[];
  readonly dynArgs: Expression | null;
  readonly dynKwargs: Expression | null;
}
export interface Filter extends Base {
  readonly kind: 'Filter';
  /** The filtered expression. Null if the filter applies to the text of a filter block or set block. */
  readonly node: Expression | null;
  readonly name: string;
  readonly arguments: Arguments;
}
interface Test extends Base {
  readonly kind: 'Test';
  readonly node: Expression;
  readonly name: string;
  readonly arguments: Arguments;
}
export interface Call extends Base {
  readonly kind: 'Call';
  readonly node: Expression;
  readonly arguments: Arguments;
}
interface Getattr extends Base {
  readonly kind: 'Getattr';
  readonly node: Expression;
  readonly attr: string;
}
export interface Getitem extends Base {
  readonly kind: 'Getitem';
  readonly node: Expression;
  readonly arg: Expression;
  /** True if Jinja2 computes this slice at compile time (see `markFoldedSlices`). */
  folded?: boolean;
}
export interface Slice extends Base {
  readonly kind: 'Slice';
  readonly start: Expression | null;
  readonly stop: Expression | null;
  readonly step: Expression | null;
}
export interface Concat extends Base {
  readonly kind: 'Concat';
  readonly nodes: Expression[];
}
export type CompareOperator = 'eq' | 'ne' | 'lt' | 'lteq' | 'gt' | 'gteq' | 'in' | 'notin';
export interface Compare extends Base {
  readonly kind: 'Compare';
  readonly expr: Expression;
  readonly ops: { readonly op: CompareOperator; readonly expr: Expression }[];
}
export type BinaryOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**';
interface BinExpr extends Base {
  readonly kind: 'BinExpr';
  readonly operator: BinaryOperator;
  readonly left: Expression;
  readonly right: Expression;
}
interface Logical extends Base {
  readonly kind: 'And' | 'Or';
  readonly left: Expression;
  readonly right: Expression;
}
export interface UnaryExpr extends Base {
  readonly kind: 'Not' | 'Neg' | 'Pos';
  readonly node: Expression;
}

/** A tuple of targets that a value is unpacked into. */
interface TargetTuple extends Base {
  readonly kind: 'Tuple';
  readonly items: AssignTarget[];
}
export type AssignTarget = Name | NSRef | TargetTuple;
export type Expression =
  | Name
  | Const
  | Tuple
  | List
  | Dict
  | CondExpr
  | Filter
  | Test
  | Call
  | Getattr
  | Getitem
  | Slice
  | Concat
  | Compare
  | BinExpr
  | Logical
  | UnaryExpr;
export type Statement =
  | Output
  | For
  | If
  | Macro
  | CallBlock
  | FilterBlock
  | With
  | Block
  | Scope
  | ScopedEvalContextModifier
  | Assign
  | AssignBlock;
export type Node = TemplateNode | Statement | Expression | TemplateData | NSRef | TargetTuple;

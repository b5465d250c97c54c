/** Token types. They have the names of Jinja2's lexer, because error messages contain these names. */
export type TokenType =
  | 'data'
  | 'variable_begin'
  | 'variable_end'
  | 'block_begin'
  | 'block_end'
  | 'name'
  | 'string'
  | 'integer'
  | 'float'
  | 'eof'
  | OperatorType;

export type OperatorType = (typeof operators)[keyof typeof operators];

export interface Token {
  readonly type: TokenType;
  /** Text of a name, string, operator or data, or the digits of a number. */
  readonly value: string;
  /** Index of the first character in the source. */
  readonly offset: number;
}

export const operators = {
  '+': 'add',
  '-': 'sub',
  '/': 'div',
  '//': 'floordiv',
  '*': 'mul',
  '%': 'mod',
  '**': 'pow',
  '~': 'tilde',
  '[': 'lbracket',
  ']': 'rbracket',
  '(': 'lparen',
  ')': 'rparen',
  '{': 'lbrace',
  '}': 'rbrace',
  '==': 'eq',
  '!=': 'ne',
  '>': 'gt',
  '>=': 'gteq',
  '<': 'lt',
  '<=': 'lteq',
  '=': 'assign',
  '.': 'dot',
  ':': 'colon',
  '|': 'pipe',
  ',': 'comma',
  ';': 'semicolon',
} as const;

const descriptions: ReadonlyMap<TokenType, string> = new Map<TokenType, string>([
  ['block_begin', 'begin of statement block'],
  ['block_end', 'end of statement block'],
  ['variable_begin', 'begin of print statement'],
  ['variable_end', 'end of print statement'],
  ['data', 'template data / text'],
  ['eof', 'end of template'],
  ...Object.entries(operators).map(([text, type]): [TokenType, string] => [type, text]),
]);

export function describeToken(token: Token): string {
  return token.type === 'name' ? token.value : describeTokenType(token.type);
}

export function describeTokenType(type: TokenType): string {
  return descriptions.get(type) ?? type;
}

import { typeError } from '../failures.js';
import { surround } from '../json/captured-text.js';
import type { Rendering } from '../rendering.js';
import type { NativeFunction } from '../values/signature.js';
import { codePointLength, sameKind, textOf } from '../values/text.js';
import { integerArgument, strMethod, textArgument } from './arguments.js';
import { padding } from './text-operations.js';

/** Returns the `str` methods that pad text to a width, and `expandtabs`. */
export function paddingMethods(): [string, NativeFunction][] {
  const padded = (name: string, side: 'left' | 'right' | 'center'): [string, NativeFunction] => [
    name,
    strMethod(name, ['width', ['fillchar', ' ']], (rendering, self, width, fillCharacter) => {
      const fill = textArgument(fillCharacter!);
      if (codePointLength(fill) !== 1)
        throw typeError('The fill character must be exactly one character long');
      const wanted = integerArgument(width!);
      rendering.budget.string(Math.max(wanted * fill.length, textOf(self).length));
      return surround(self, ...padding(textOf(self), { width: wanted, fill, side }));
    }),
  ];
  return [
    padded('ljust', 'right'),
    padded('rjust', 'left'),
    padded('center', 'center'),
    [
      'zfill',
      strMethod('zfill', ['width'], (rendering, self, width) => {
        const wanted = integerArgument(width!);
        rendering.budget.string(Math.max(wanted, textOf(self).length));
        const [, sign = '', digits = ''] = /^([+-]?)([\s\S]*)$/.exec(textOf(self)) ?? [];
        const [zeros] = padding(digits, { width: wanted - sign.length, fill: '0', side: 'left' });
        return sameKind(self, sign + zeros + digits);
      }),
    ],
    [
      'expandtabs',
      strMethod('expandtabs', [['tabsize', 8n]], (rendering, self, tabSize) =>
        sameKind(self, expandTabs(textOf(self), integerArgument(tabSize!), rendering)),
      ),
    ],
  ];
}

function expandTabs(text: string, tabSize: number, rendering: Rendering): string {
  const tabs = text.split('\t').length - 1;
  rendering.budget.string(tabs === 0 ? text.length : text.length + tabs * Math.max(0, tabSize));
  let result = '';
  let column = 0;
  for (const character of text) {
    if (character === '\t') {
      const width = tabSize > 0 ? tabSize - (column % tabSize) : 0;
      result += ' '.repeat(width);
      column += width;
    } else {
      result += character;
      column = character === '\n' || character === '\r' ? 0 : column + 1;
    }
  }
  return result;
}

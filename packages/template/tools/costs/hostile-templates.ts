import { hostileNumbers } from './hostile-numbers.js';
import { hostileStructures } from './hostile-structures.js';
import { hostileTexts } from './hostile-texts.js';
import type { SizedTemplate } from './sized-template.js';

/** Templates made to cost more CPU than their steps say, by title. */
export const hostileTemplates: Readonly<Record<string, SizedTemplate>> = {
  ...hostileStructures(),
  ...hostileTexts(),
  ...hostileNumbers(),
};

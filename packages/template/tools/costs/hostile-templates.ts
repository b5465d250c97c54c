import { hostileNumbers } from './hostile-numbers.js';
import { hostileStructures } from './hostile-structures.js';
import { hostileTexts } from './hostile-texts.js';
import type { SizedTemplate } from './sized-template.js';

/** Templates, by title, that try to cost more CPU time than their number of steps suggests. */
export const hostileTemplates: Readonly<Record<string, SizedTemplate>> = {
  ...hostileStructures(),
  ...hostileTexts(),
  ...hostileNumbers(),
};

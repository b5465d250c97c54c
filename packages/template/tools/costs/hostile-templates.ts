import { hostileNumbers } from './hostile-numbers.js';
import { hostileStructures } from './hostile-structures.js';
import { hostileTexts } from './hostile-texts.js';
import type { SizedTemplate } from './sized-template.js';

/** Templates by title. Each tries to use much CPU time with few steps. */
export const hostileTemplates: Readonly<Record<string, SizedTemplate>> = {
  ...hostileStructures(),
  ...hostileTexts(),
  ...hostileNumbers(),
};

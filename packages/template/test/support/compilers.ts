import { createBodyCompiler, createTemplateCompiler } from '../../src/index.js';

export const compileBody = createBodyCompiler();
export const compilePlain = createTemplateCompiler();

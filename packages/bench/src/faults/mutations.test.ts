import { readFileSync } from 'node:fs';
import { sabotages } from './mutations.js';

const root = new URL('../../../../', import.meta.url);

test.each(Object.values(sabotages))('what $name replaces stands in its module once', ({ module, piece }) => {
  const source = module.replace('/dist/', '/src/').replace(/\.js$/, '.ts');
  expect(readFileSync(new URL(source, root), 'utf8').split(piece)).toHaveLength(2);
});

import { readFileSync } from 'node:fs';
import { mutations } from './mutations.js';

const root = new URL('../../../../', import.meta.url);

test.each(Object.values(mutations))('the piece that $name replaces occurs once', ({ module, piece }) => {
  const source = module.replace('/dist/', '/src/').replace(/\.js$/, '.ts');
  expect(readFileSync(new URL(source, root), 'utf8').split(piece)).toHaveLength(2);
});

import { readdirSync, readFileSync } from 'node:fs';
import { failureEvents } from './find-violations.js';
import { mutations } from './mutations.js';
import { claimStatements } from './worker-faults.js';

const root = new URL('../../../../', import.meta.url);
const sources = ['packages/kit/src', 'services/delivery-worker/src'].flatMap((directory) =>
  readdirSync(new URL(directory, root), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(new URL(`${directory}/${file}`, root), 'utf8')),
);

test.each(Object.values(mutations))(
  'the text that the mutation $name replaces occurs once in its module',
  ({ module, original }) => {
    const source = module.replace('/dist/', '/src/').replace(/\.js$/, '.ts');
    expect(readFileSync(new URL(source, root), 'utf8').split(original)).toHaveLength(2);
  },
);

test.each([...failureEvents, ...claimStatements])(
  'the log event or statement name %s occurs in the source of kit or of the worker',
  (name) => {
    expect(sources.some((source) => source.includes(`'${name}'`))).toBe(true);
  },
);

import swc from '@swc/jest';
import { mutationVariable, type StatementMutation, statementMutations } from './statement-mutations.js';

type Step = (source: string, path: string, ...rest: unknown[]) => unknown;

/** Transforms TypeScript for jest as other tests do, after one piece of one file was replaced. */
export default {
  createTransformer(options: Parameters<typeof swc.createTransformer>[0]) {
    const name = process.env[mutationVariable];
    const mutation = statementMutations.find((entry) => entry.name === name);
    if (name !== undefined && mutation === undefined) throw new Error(`No mutation is called "${name}".`);
    // The steps `process`, `processAsync` and `getCacheKey` all take a source and its path.
    const steps = Object.entries<unknown>({ ...swc.createTransformer(options) });
    const mutating =
      (step: Step): Step =>
      (source, path, ...rest) =>
        step(mutate(source, path, mutation), path, ...rest);
    return Object.fromEntries(
      steps.map(([name, step]) => [name, typeof step === 'function' ? mutating(step as Step) : step]),
    );
  },
};

function mutate(source: string, path: string, mutation: StatementMutation | undefined): string {
  if (mutation === undefined || !path.endsWith(`/${mutation.file}`)) return source;
  const parts = source.split(mutation.piece);
  if (parts.length !== 2)
    throw new Error(`${mutation.file} contains ${parts.length - 1} times: ${mutation.piece}`);
  return parts.join(mutation.replacement);
}

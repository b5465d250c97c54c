import swc from '@swc/jest';
import { mutationVariable, type StatementMutation, statementMutations } from './statement-mutations.js';

type Step = (source: string, path: string, ...rest: unknown[]) => unknown;

/**
 * Compiles TypeScript with swc, as for other tests. If TOCSIN_STATEMENT_MUTATION names a mutation, the transformer
 * first applies it: in the file of the mutation, it replaces one text by another.
 */
export default {
  createTransformer(options: Parameters<typeof swc.createTransformer>[0]) {
    const name = process.env[mutationVariable];
    const mutation = statementMutations.find((entry) => entry.name === name);
    if (name !== undefined && mutation === undefined) throw new Error(`No mutation is called "${name}".`);
    // All functions of a transformer (`process`, `processAsync`, `getCacheKey`) have the source and its path as first
    // parameters, so `mutating` can wrap each of them.
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

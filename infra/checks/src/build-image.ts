import { execFileSync, execSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Stage, Step } from './dockerfile.js';

export interface BuiltImage {
  /** Working directory of the image. */
  directory: string;
  env: Record<string, string>;
  entrypoint: string[];
  healthcheck: string[];
}

/**
 * Runs the instructions of a Dockerfile without a container engine. Each stage gets a folder, in which its RUN commands
 * run in a shell. An absolute path in COPY or WORKDIR becomes a path in this folder. The build context contains the
 * files that git does not ignore.
 */
export function buildImage(stages: readonly Stage[], { repository, root }: Places): BuiltImage {
  const context = join(root, 'context');
  copyTracked(repository, context);
  // npm gets a separate cache, because the clean-up commands in a stage would empty the user's cache.
  const cache = { npm_config_cache: join(root, 'npm-cache') };
  const image: BuiltImage = { directory: '', env: {}, entrypoint: [], healthcheck: [] };
  for (const stage of stages) {
    const folder = join(root, stage.name);
    let directory = folder;
    const at = (path: string) => (path.startsWith('/') ? join(folder, path) : join(directory, path));
    image.env = {};
    let shell = ['sh', '-c'];
    for (const step of stage.steps) {
      if (step.kind === 'workdir') {
        directory = at(step.path);
        mkdirSync(directory, { recursive: true });
      } else if (step.kind === 'copy') {
        copy(step, { context: step.from === undefined ? context : join(root, step.from), at });
      } else if (step.kind === 'shell') {
        // The Dockerfile selects Alpine's shell, which many machines lack. bash replaces it here, because bash supports
        // the same options.
        shell = ['bash', ...step.words.slice(1)];
      } else if (step.kind === 'run') {
        const command = step.command.replaceAll('/app/', `${join(folder, 'app')}/`);
        run([...shell, command], directory, { ...cache, ...image.env });
      } else apply(step, image);
    }
    image.directory = directory;
  }
  return image;
}

interface Places {
  repository: string;
  /** Path of an empty folder in which the stages are created. */
  root: string;
}

function apply(step: Step, image: BuiltImage): void {
  if (step.kind === 'env') Object.assign(image.env, step.values);
  else if (step.kind === 'entrypoint') image.entrypoint = step.words;
  else if (step.kind === 'healthcheck') image.healthcheck = step.words;
}

function copy(
  { sources, target }: Extract<Step, { kind: 'copy' }>,
  { context, at }: { context: string; at: (path: string) => string },
): void {
  for (const source of sources) {
    const to = at(target);
    mkdirSync(target.endsWith('/') ? to : dirname(to), { recursive: true });
    cpSync(join(context, source), to, { recursive: true, verbatimSymlinks: true });
  }
}

/**
 * Copies the files that git tracks, and new files that it does not ignore. The copy contains no build output and no
 * secrets, like a build context with .dockerignore.
 */
function copyTracked(repository: string, context: string): void {
  rmSync(context, { recursive: true, force: true });
  mkdirSync(context, { recursive: true });
  execSync(
    `git ls-files -z --cached --others --exclude-standard | tar -cf - --null --ignore-failed-read -T - | tar -xf - -C '${context}'`,
    { cwd: repository, stdio: ['ignore', 'inherit', 'ignore'] },
  );
}

function run(words: readonly string[], cwd: string, env: Record<string, string>): void {
  const [shell = 'sh', ...args] = words;
  console.log(`$ ${args.at(-1)}`);
  execFileSync(shell, args, { cwd, env: { ...process.env, ...env }, stdio: 'inherit' });
}

import { createInterface } from 'node:readline/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { ApiError } from '../../api/errors.js';
import { type PlatformContext, runsInWorkspace, withExamples } from '../action.js';
import { CommandFailure, exitCodeOf, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import type { Output } from '../output.js';
import { nameOf as nameOfFile, readText } from '../read-input.js';
import { namespaceDescription, namespacePattern } from '../workspace-file/file-schema.js';
import type { Step } from '../workspace-file/plan.js';
import { type ReadFile, readWorkspaceFile } from '../workspace-file/read-workspace-file.js';
import {
  describeFailure,
  nameOf,
  type PlanResult,
  planChanges,
  runPlan,
  type VersionedPlan,
} from '../workspace-file/run-plan.js';
import { readState } from '../workspace-file/workspace-state.js';
import { createWorkspaceFile, toYaml } from '../workspace-file/write-workspace-file.js';

interface ExportFlags {
  namespace?: string;
  ids: boolean;
}

interface ApplyFlags {
  file: string;
  dryRun?: boolean;
  prune?: boolean;
  yes?: boolean;
}

export function addWorkspaceFileCommands(program: Command, io: Io): void {
  const write = program
    .command('export')
    .description('print webhooks, rules and settings as YAML, with variables for urls and header values')
    .option(
      '--namespace <name>',
      'namespace of the file; default: the only namespace that external ids use',
      parseNamespace,
    )
    .option('--no-ids', 'omit ids, so that the file can be applied to another workspace');
  runsInWorkspace<ExportFlags>(write, io, async ({ platform, options, out, signal }) => {
    const { namespace, ids: withIds } = options;
    const { file, leftOut } = createWorkspaceFile(await readState(platform, signal), { namespace, withIds });
    for (const label of leftOut) out.note(`Left out, because it belongs to another namespace: ${label}`);
    out.value(file, () => io.stdout.write(toYaml(file)));
  });
  withExamples(write, ['tocsin export > workspace.yaml', 'tocsin export --no-ids --namespace risk']);

  const apply = program
    .command('apply')
    .description('change a workspace to match a file: show the plan, ask, and make the changes')
    .requiredOption('-f, --file <file>', 'a file as `tocsin export` prints it; "-" is standard input')
    .option('--dry-run', 'show the plan and change nothing')
    .option('--prune', 'delete resources of the namespace that are not in the file')
    .option('-y, --yes', 'do not ask');
  runsInWorkspace<ApplyFlags>(apply, io, applyFile);
  withExamples(apply, [
    'tocsin apply -f workspace.yaml --dry-run',
    'CHAT_URL=https://chat.example.com/hook tocsin apply -f workspace.yaml --yes',
    'tocsin apply -f workspace.yaml --prune',
  ]);
}

function parseNamespace(text: string): string {
  if (new RegExp(`^${namespacePattern}$`).test(text)) return text;
  throw new InvalidArgumentError(`It must be ${namespaceDescription}.`);
}

async function applyFile({ options, platform, io, out, signal }: PlatformContext<ApplyFlags>): Promise<void> {
  const { file: name, dryRun = false, prune = false, yes = false } = options;
  const file = readWorkspaceFile(await readText(name, io), nameOfFile(name));
  const deps = { platform, clock: io.clock, signal };
  const plan = await planChanges(deps, { file, env: io.env, prune });
  for (const label of plan.left) out.note(`Not in the file, and deleted with --prune: ${label}`);
  if (!out.json) showPlan(plan, out);
  if (dryRun || plan.steps.length === 0) return printJson(out, { plan: plan.steps.map(toJson) });
  if (!yes && !(await isConfirmed(io, out))) return out.note('Nothing was changed.');
  const onDone = (step: Step, warnings: string[]) => {
    out.progress(`${describe(step)} …`);
    for (const warning of warnings) out.note(`warning: ${nameOf(step)}: ${warning}`);
  };
  const result = await runPlan(plan, { ...deps, onDone });
  out.progress(undefined);
  report(result, { file, out });
}

function showPlan({ steps }: VersionedPlan, out: Output): void {
  for (const step of steps) out.line({ text: describe(step), color: colors[step.action] });
  out.line(steps.length === 0 ? 'There are no changes.' : `Plan: ${countOf(steps)}.`);
}

const signs = { create: '+', change: '~', delete: '-' } as const;
const colors = { create: 'green', change: 'yellow', delete: 'red' } as const;

/** Returns a line such as "~ webhook risk/chat: url, headers.Authorization", without values. */
function describe(step: Step): string {
  const { action, fields } = step;
  const names = fields.length === 0 ? '' : `: ${fields.join(', ')}`;
  return `${signs[action]} ${nameOf(step)}${names}`;
}

function countOf(steps: readonly Step[]): string {
  const counts = (['create', 'change', 'delete'] as const).map(
    (action) => `${steps.filter((step) => step.action === action).length} to ${action}`,
  );
  return counts.join(', ');
}

function toJson({ action, kind, label, fields }: Step) {
  return { action, kind, label, fields };
}

function printJson(out: Output, value: unknown): void {
  if (out.json) out.value(value, () => {});
}

async function isConfirmed({ stdin, stderr, signal }: Io, { json }: Output): Promise<boolean> {
  if (json || stdin.isTTY !== true)
    throw new CommandFailure(exitCodes.usage, 'Give --yes to make these changes without a question.');
  stderr.write('Make these changes? [y/N] ');
  const lines = createInterface({ input: stdin });
  try {
    // If the input ends without a reply, the changes are not made.
    const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
    const reply = await Promise.race([lines.question('', { signal }), ended]);
    return /^y(es)?$/i.test(reply.trim());
  } finally {
    lines.close();
  }
}

function report({ done, failed, notDone }: PlanResult, { file, out }: { file: ReadFile; out: Output }): void {
  if (failed === undefined) {
    out.value({ done: done.map(toJson) }, () => out.line(`Done: ${done.length} of ${done.length}.`));
    return;
  }
  const { step, error } = failed;
  const total = done.length + 1 + notDone.length;
  const message = describeFailure(step, error);
  const places =
    error instanceof ApiError ? error.errors.map(({ path, message }) => `${path} ${message}`) : [];
  const all = {
    done: done.map(toJson),
    failed: { ...toJson(step), error: message, errors: places },
    not_done: notDone.map(toJson),
  };
  out.value(all, () => {
    out.line(`Done: ${done.length} of ${total}.`);
    for (const each of done) out.line(`  ${describe(each)}`);
    out.line('Failed:');
    out.line({ text: `  ${describe(step)}`, color: 'red' });
    if (notDone.length > 0) out.line('Not done:');
    for (const each of notDone) out.line(`  ${describe(each)}`);
  });
  const line = step.path === undefined ? '' : ` (line ${file.lineOf(step.path)})`;
  throw new CommandFailure(
    exitCodeOf(error),
    [`${message}${line}`, ...places.map((place) => `  ${place}`)].join('\n'),
  );
}

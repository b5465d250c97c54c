import { messageOf } from '@tocsin/kit';
import { type Child, createProcessHost } from '../processes/process-host.js';
import { type Supervised, supervise } from '../processes/supervise.js';
import { buildConsole } from './build-console.js';
import { startInfrastructure } from './infrastructure.js';
import type { LauncherOptions } from './options.js';
import { layOutPorts, neededPorts, requireFreePorts } from './ports.js';
import type { Progress } from './progress.js';
import {
  describeServices,
  migrate,
  type ServiceRunner,
  type ServiceSpec,
  startService,
  waitForService,
} from './services.js';
import { describeStack, removeStackFile, type StackFile, writeStackFile } from './stack-file.js';
import { endStaleProcesses, recordChildren } from './stale-processes.js';
import { readOrMakeSecrets, rotateLogs, type StatePaths } from './state.js';

export interface StackOptions extends LauncherOptions {
  paths: StatePaths;
  /** Root folder of the checkout, with the built services. */
  repository: string;
  /** Environment that the services inherit. */
  env: NodeJS.ProcessEnv;
  progress: Progress;
}

export interface Stack {
  /**
   * Resolves when every process is ready. If a process fails, throws an error with the name of the process, the reason
   * and the last lines of its log.
   */
  start(): Promise<StackFile>;
  /** Writes `stack.json` now and after every change of a process id. */
  publish(): void;
  /** Stops the services, then the servers that they use. It can be called during the start. */
  stop(): Promise<void>;
  /** Kills all processes immediately. */
  kill(): Promise<void>;
}

export function createStack(options: StackOptions): Stack {
  const { paths, progress, repository, portBase, workers } = options;
  const ports = layOutPorts(portBase, workers);
  const stopping = new AbortController();
  const processes = createProcessHost({
    onChange: (children) => recordChildren(paths.children, children),
    onError: (error) => progress.say(`The running processes could not be recorded: ${messageOf(error)}`),
  });
  const runner = { processes, repository, logs: paths.logs };
  const infrastructureParts = new Map<string, Supervised>();
  const serviceParts = new Map<string, Supervised>();
  let describe: (() => StackFile) | undefined;
  let isPublished = false;

  const rewrite = () => {
    if (!isPublished || describe === undefined || stopping.signal.aborted) return;
    writeStackFile(paths.stackFile, describe());
  };

  const runInto =
    (parts: Map<string, Supervised>) =>
    async (name: string, start: () => Promise<Child>): Promise<void> => {
      const { signal } = stopping;
      const part = await progress.track(name, () =>
        supervise({ name, signal, say: progress.say, onRestart: rewrite, start }),
      );
      parts.set(name, part);
    };

  const runService = (spec: ServiceSpec) => runInto(serviceParts)(spec.name, startAndFirstWait(runner, spec));

  return {
    async start() {
      // A killed launcher leaves its `stack.json`. Scripts wait until this file exists, so the old file is removed
      // first.
      removeStackFile(paths.stackFile);
      const stale = await endStaleProcesses(paths.children);
      if (stale.length > 0) progress.say(`Ended processes of an earlier start: ${stale.join(', ')}`);
      await requireFreePorts(neededPorts(options, ports));
      rotateLogs(paths);
      const stored = readOrMakeSecrets(paths);
      const secrets = { ...stored, workspaceId: options.workspaceId ?? stored.workspaceId };
      // The rest of the stack works without the console, so a failed build is only reported.
      const consoleBuilt = progress
        .track('console', () => buildConsole(runner))
        .catch((error: Error) => progress.say(`  The console could not be built: ${error.message}`));
      const infrastructure = await startInfrastructure({
        options,
        ports,
        paths,
        secrets,
        processes,
        run: runInto(infrastructureParts),
        migrate: (url) => progress.track('migrations', () => migrate(runner, url)),
        say: progress.say,
      });
      const services = describeServices({ inherited: options.env, ports, secrets, ...infrastructure });
      const workers = services.filter(({ kind }) => kind === 'delivery-worker');
      await Promise.all([consoleBuilt, ...services.map(runService)]);
      describe = () =>
        describeStack({
          ...infrastructure,
          secrets,
          engineAdminKey: options.env.GENAI_ENGINE_ADMIN_KEY ?? secrets.engineAdminKey,
          ports,
          isOwnProvider: options.oidcIssuer === undefined,
          pidOf: (name) => (serviceParts.get(name) ?? infrastructureParts.get(name))?.pid() ?? 0,
          workerNames: workers.map(({ name }) => name),
        });
      return describe();
    },
    publish() {
      isPublished = true;
      rewrite();
    },
    async stop() {
      stopping.abort();
      removeStackFile(paths.stackFile);
      for (const parts of [serviceParts, infrastructureParts]) {
        await Promise.all([...parts.values()].map((part) => part.stop()));
      }
      await processes.killAll();
      processes.close();
    },
    async kill() {
      stopping.abort();
      removeStackFile(paths.stackFile);
      await processes.killAll();
      processes.close();
    },
  };
}

/**
 * Returns a function that starts the service. Its first call waits until the service is ready; later calls, which
 * restart the service, do not wait.
 */
function startAndFirstWait(runner: ServiceRunner, spec: ServiceSpec): () => Promise<Child> {
  let isFirst = true;
  return async () => {
    const child = await startService(runner, spec);
    if (isFirst) await waitForService(spec, child);
    isFirst = false;
    return child;
  };
}

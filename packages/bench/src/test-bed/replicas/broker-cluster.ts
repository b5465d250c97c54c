import { join } from 'node:path';
import { ensureRabbitmqInstalled, findFreePorts, startEpmd, startRabbitmqNode } from '@tocsin/local';
import { createBroker } from '@tocsin/messaging';
import { until } from '@tocsin/testing';
import { type ManagedProcess, startManagedProcess } from '../managed-process.js';
import { type BrokerCommands, brokerCommands, type ServersOptions } from '../servers.js';

export interface BrokerNode extends ManagedProcess, BrokerCommands {
  /** Name of the node in the cluster, for example `tocsin-1@localhost`. */
  readonly nodeName: string;
  readonly url: string;
}

/** Three RabbitMQ nodes on one machine. Each queue of Tocsin has a replica on every node. */
export interface BrokerCluster {
  nodes: BrokerNode[];
  /** Returns the node that currently leads a queue. */
  leaderOf(queue: string): Promise<BrokerNode>;
  /** Waits until all replicas of all queues are online. */
  untilComplete(): Promise<void>;
  stop(): Promise<void>;
}

const nodeCount = 3;
const joinTimeoutMs = 60_000;

/**
 * Starts one node with the queues of Tocsin, joins two empty nodes to it, and adds queue replicas on them. An
 * installation with a single node is extended in the same way.
 */
export async function startBrokerCluster(options: ServersOptions): Promise<BrokerCluster> {
  const { processes, logFile, print } = options;
  const directory = join(options.directory, 'rabbitmq');
  const installed = ensureRabbitmqInstalled(logFile('apt'), print);
  const [epmdPort = 0] = await findFreePorts(1);
  const epmd = await startEpmd({ processes, directory, installed, ports: { epmd: epmdPort } });

  const startNode = async (number: number): Promise<BrokerNode> => {
    const nodeName = `tocsin-${number}@localhost`;
    const name = `rabbitmq-${number}`;
    const nodeDirectory = join(options.directory, name);
    const [amqp = 0, distribution = 0] = await findFreePorts(2);
    let url = '';
    const node = await startManagedProcess(name, async () => {
      const running = await startRabbitmqNode({
        processes,
        directory: nodeDirectory,
        logFile: logFile(name),
        ports: { amqp, distribution, epmd: epmdPort },
        installed,
        nodeName,
        secretsFile: join(directory, 'secrets.json'),
      });
      url = running.url;
      return running.child;
    });
    return {
      ...node,
      ...brokerCommands({ installed, directory: nodeDirectory, epmdPort, nodeName }),
      nodeName,
      url,
    };
  };

  const first = await startNode(1);
  await declareQueues(first.url);
  const joining = await Promise.all([startNode(2), startNode(3)]);
  for (const node of joining) await joinCluster(node, first);
  const nodes = [first, ...joining];

  /** Reads a column of `rabbitmqctl list_queues` that contains names of nodes. Returns these names by queue. */
  const readColumn = async (column: 'leader' | 'members' | 'online') => {
    const table = await listQueues(nodes, column);
    return new Map(
      table.split('\n').flatMap((line) => {
        const [queue = '', found = ''] = line.split('\t');
        const names = found.match(/tocsin-\d@localhost/g);
        return names === null ? [] : [[queue, names] as const];
      }),
    );
  };
  const untilComplete = () =>
    until(
      `all queues have ${nodeCount} members online`,
      async () => [...(await readColumn('online')).values()].every((names) => names.length === nodeCount),
      { timeoutMs: joinTimeoutMs, intervalMs: 500 },
    ).then(() => {});
  await untilComplete();
  return {
    nodes,
    async leaderOf(queue) {
      const leader = (await readColumn('leader')).get(queue)?.[0];
      const found = nodes.find(({ nodeName }) => nodeName === leader);
      if (found === undefined) throw new Error(`The queue ${queue} has no leader.`);
      return found;
    },
    untilComplete,
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()));
      await epmd.stop();
    },
  };
}

/** Opens a connection with the package `messaging`, which declares the queues of Tocsin, and closes it. */
async function declareQueues(url: string): Promise<void> {
  const broker = await createBroker({ url, name: 'tocsin-bench' });
  await broker.ready();
  await broker.close();
}

/**
 * Runs the commands from `docs/high-availability.md`. An existing queue has no replica on a new node until
 * `rabbitmq-queues grow` adds one.
 */
async function joinCluster(node: BrokerNode, first: BrokerNode): Promise<void> {
  await node.control('stop_app');
  await node.control('reset');
  await node.control('join_cluster', first.nodeName);
  await node.control('start_app');
  await node.queues('grow', node.nodeName, 'all');
}

/**
 * Returns the output of `rabbitmqctl list_queues` for one column. The command runs on one node after the other until
 * one responds, because some nodes may be stopped.
 */
async function listQueues(nodes: BrokerNode[], column: string): Promise<string> {
  const [node, ...others] = nodes;
  if (node === undefined) throw new Error('No node of the cluster responds.');
  try {
    return await node.control('list_queues', 'name', column);
  } catch {
    return listQueues(others, column);
  }
}

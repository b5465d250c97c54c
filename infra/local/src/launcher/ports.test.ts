import { createServer } from 'node:net';
import { readOptions } from './options.js';
import { layOutPorts, neededPorts, requireFreePorts } from './ports.js';

describe('the ports of the stack', () => {
  test('all ports are different for the maximum number of workers', () => {
    const options = readOptions(['--workers', '32'], {});
    const ports = [...neededPorts(options, layOutPorts(8700, 32)).values()];
    expect(new Set(ports).size).toBe(ports.length);
    expect(ports).toHaveLength(10 + 2 * 32);
  });

  test('the stack needs no ports for an external database, broker and identity provider', () => {
    const options = readOptions([], {
      DATABASE_URL: 'postgres://db/x',
      AMQP_URL: 'amqp://mq',
      OIDC_ISSUER: 'https://sso',
    });
    const parts = [...neededPorts(options, layOutPorts(8700, 1)).keys()];
    expect(parts).toEqual([
      'webhook-api',
      'engine-auth',
      'inbox',
      'metrics of webhook-api',
      'metrics of engine-auth',
      'delivery-worker 1',
      'metrics of delivery-worker 1',
    ]);
  });

  test('the error for a port in use names the process that needs it, and says what to do', async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
    const check = requireFreePorts(new Map([['rabbitmq', port]]));
    await expect(check).rejects.toThrow(new RegExp(`port ${port}, which rabbitmq needs.*\\n.*PORT_BASE=`));
    await new Promise((resolve) => server.close(resolve));
    await expect(requireFreePorts(new Map([['rabbitmq', port]]))).resolves.toBeUndefined();
  });
});

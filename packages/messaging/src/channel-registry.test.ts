import type { ChannelModel } from 'amqplib';
import { createChannelRegistry } from './channel-registry.js';

const { jest } = import.meta;

test('a connection that ends while its channels are opened is not used for later channels', async () => {
  const registry = createChannelRegistry({
    declareEveryMs: undefined,
    logger: { info: () => {}, warn: () => {} },
    onOpen: () => {},
    onDeclared: () => {},
  });
  const opening = registry.openAll({} as ChannelModel);
  registry.disconnected();
  await expect(opening).rejects.toThrow('aborted');
  const openOn = jest.fn();
  await registry.add({ openOn });
  expect(openOn).not.toHaveBeenCalled();
});

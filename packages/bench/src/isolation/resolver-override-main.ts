/**
 * Loaded into a worker from outside (`node --import '…/other-names-main.js?server=127.0.0.1:PORT' main.js`): its
 * questions go to this name server, as a line in the machine's resolv.conf would have it, which cannot name a port.
 */

import { promises } from 'node:dns';

const server = new URL(import.meta.url).searchParams.get('server') ?? '';
const { Resolver } = promises;

promises.Resolver = class extends Resolver {
  constructor(...options: ConstructorParameters<typeof Resolver>) {
    super(...options);
    this.setServers([server]);
  }
};

/**
 * Loaded into a worker (`node --import '…/resolver-override-main.js?server=127.0.0.1:PORT' main.js`): makes it query
 * another name server. A line in resolv.conf cannot do this, because it cannot name a port.
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

/**
 * Makes a worker query another name server (`node --import '…/resolver-override-main.js?server=127.0.0.1:PORT'
 * main.js`). The file resolv.conf cannot be used for this, because it does not support ports.
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

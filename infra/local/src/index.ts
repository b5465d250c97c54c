export { ensureChromiumInstalled } from './chromium/ensure-chromium-installed.js';
export { canInstallPackages, installPackages } from './debian/install-packages.js';
export { ensureInstalled, installWithoutService } from './debian/install-without-service.js';
export { type InboxOptions, type RunningInbox, startInbox } from './inbox/start-inbox.js';
export { serviceNodeOptions } from './launcher/services.js';
export { type Accounts, makeAccounts, type RoleName } from './oidc/accounts.js';
export { type ProviderOptions, type RunningProvider, startProvider } from './oidc/start-provider.js';
export {
  type ProviderProcessOptions,
  type RunningProviderProcess,
  startProviderProcess,
} from './oidc/start-provider-process.js';
export { startPostgres } from './postgres/start-postgres.js';
export { getPostgresUser } from './postgres/system-user.js';
export { findFreePorts } from './processes/free-port.js';
export { createProcessHost, type ProcessHost } from './processes/process-host.js';
export { prepareNodeFiles } from './rabbitmq/node-files.js';
export {
  type Epmd,
  ensureRabbitmqInstalled,
  startEpmd,
  startRabbitmq,
  startRabbitmqNode,
} from './rabbitmq/start-rabbitmq.js';
export { startTestServers } from './test/start-test-servers.js';

import { installWithoutService } from '../debian/install-without-service.js';

const debianPackage = {
  name: 'rabbitmq-server',
  unitLinks: [
    '/etc/systemd/system/multi-user.target.wants/rabbitmq-server.service',
    '/etc/systemd/system/multi-user.target.wants/epmd.service',
    '/etc/systemd/system/sockets.target.wants/epmd.socket',
  ],
};

/** Installs the package of the distribution without its system service. */
export function installRabbitmq(logFile: string): void {
  try {
    installWithoutService(debianPackage, logFile);
  } catch (cause) {
    const { message } = cause as Error;
    throw new Error(`${message}\nInstall RabbitMQ yourself, or set AMQP_URL to a running one.`, { cause });
  }
}

/** Instructions for systems on which the launcher cannot install RabbitMQ. */
export const howToInstall = [
  'RabbitMQ (3.10 or newer, with its Erlang) is not installed. Either',
  '  - Debian, Ubuntu: sudo apt-get install rabbitmq-server',
  '  - Fedora, RHEL:   sudo dnf install rabbitmq-server',
  '  - macOS:          brew install rabbitmq',
  '  - or set AMQP_URL=amqp://user:password@host:5672 to use one that runs elsewhere.',
  'Only its files are used: no system service is started.',
].join('\n');

import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { EnvReader } from './env.js';
import { messageOf } from './message-of.js';
import type { Secret } from './secret.js';

/**
 * Reads DATABASE_URL. The parameters sslrootcert, sslcert and sslkey are paths of PEM files, with the meaning that
 * libpq defines. `pg` checks the certificate and the name of the server with every sslmode except `disable` (no TLS)
 * and `no-verify`. A URL with `no-verify` is reported as a problem. `pg` reads the PEM files again for each connection.
 */
export function readDatabaseUrl(read: EnvReader): Secret {
  const name = 'DATABASE_URL';
  const url = read.secretUrl(name, ['postgres', 'postgresql']);
  const { searchParams } = new URL(url.reveal());
  // The parameter `uselibpqcompat` is rejected, because with it most modes do not check the name of the server, and
  // some do not check its certificate.
  const isUnchecked = [searchParams.get('sslmode'), searchParams.get('ssl')].includes('no-verify');
  if (isUnchecked || searchParams.has('uselibpqcompat')) read.problem(`${name} ${uncheckedCertificates}`);
  checkFiles(read, { name, searchParams, ca: 'sslrootcert', cert: 'sslcert', key: 'sslkey' });
  return url;
}

/**
 * Reads AMQP_URL. The parameters cacertfile, certfile and keyfile have the meaning that RabbitMQ defines for its URIs.
 * The PEM files are read again each time a connection to the broker is opened.
 */
export function readBrokerUrl(read: EnvReader): Secret {
  const name = 'AMQP_URL';
  const url = read.secretUrl(name, ['amqp', 'amqps']);
  const { protocol, searchParams } = new URL(url.reveal());
  if (searchParams.get('verify') === 'verify_none') read.problem(`${name} ${uncheckedCertificates}`);
  const files = { ca: 'cacertfile', cert: 'certfile', key: 'keyfile' };
  const given = Object.values(files).find((parameter) => searchParams.has(parameter));
  if (protocol === 'amqp:' && given !== undefined) {
    read.problem(`${name} has ${given} and no TLS: it must begin with amqps://`);
  }
  checkFiles(read, { name, searchParams, ...files });
  return url;
}

const uncheckedCertificates = 'must not switch off the check of certificates';

interface TlsParameters {
  name: string;
  searchParams: URLSearchParams;
  /**
   * `ca`, `cert` and `key` are the names of the URL parameters for the files of the certificate authority, the client
   * certificate and the client's key.
   */
  ca: string;
  cert: string;
  key: string;
}

/**
 * Reports PEM files that cannot be used. Without this check, a wrong file would cause the same error as an unavailable
 * server.
 */
function checkFiles(read: EnvReader, { name, searchParams, ...parameters }: TlsParameters): void {
  const contents: Partial<Record<'ca' | 'cert' | 'key', string>> = {};
  for (const option of ['ca', 'cert', 'key'] as const) {
    const path = searchParams.get(parameters[option]);
    if (path === null) continue;
    try {
      contents[option] = readFileSync(path, 'utf8');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      read.problem(`${name} names ${path} (${parameters[option]}), which cannot be read (${code})`);
      return;
    }
  }
  const { ca, cert, key } = contents;
  if (ca === undefined && cert === undefined && key === undefined) return;
  if (ca !== undefined && !ca.includes('-----BEGIN CERTIFICATE-----')) {
    read.problem(`${name} names a file without a PEM certificate (${parameters.ca})`);
  }
  if ((cert === undefined) !== (key === undefined)) {
    read.problem(`${name} needs both ${parameters.cert} and ${parameters.key}`);
    return;
  }
  try {
    createSecureContext(contents);
  } catch (error) {
    const reason = messageOf(error);
    read.problem(`${name} names certificates that cannot be used: ${reason}`);
  }
}

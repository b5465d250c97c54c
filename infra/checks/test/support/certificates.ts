import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Certificate {
  /** Paths of PEM files. */
  certificate: string;
  key: string;
}

export interface Authority extends Certificate {
  /** Issues a certificate with these extension lines, for example `subjectAltName=IP:127.0.0.1`. */
  issue(name: string, options: { extensions: string[]; days?: number }): Certificate;
}

/** Creates a private certificate authority whose files are in `directory`. */
export function createAuthority(directory: string): Authority {
  const file = (name: string) => join(directory, name);
  const openssl = (...args: string[]) =>
    execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const own = { certificate: file('authority.pem'), key: file('authority.key') };
  const forTenDays = ['-x509', '-days', '10', '-subj', '/CN=Test authority'];
  openssl('req', ...forTenDays, ...newKey, '-keyout', own.key, '-out', own.certificate);
  return {
    ...own,
    issue(name, { extensions, days = 10 }) {
      const [request, certificate, key] = [file(`${name}.csr`), file(`${name}.pem`), file(`${name}.key`)];
      openssl('req', ...newKey, '-subj', `/CN=${name}`, '-keyout', key, '-out', request);
      writeFileSync(file(`${name}.ext`), `${extensions.join('\n')}\n`);
      const by = ['-CA', own.certificate, '-CAkey', own.key, '-CAcreateserial', '-days', String(days)];
      openssl('x509', '-req', '-in', request, ...by, '-extfile', file(`${name}.ext`), '-out', certificate);
      return { certificate, key };
    },
  };
}

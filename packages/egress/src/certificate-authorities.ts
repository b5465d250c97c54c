import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';

/**
 * Returns a TLS context that trusts the public certificate authorities and those in the PEM file `caFile`.
 * @throws Error if the file cannot be read or contains no certificate
 */
export function loadCertificateAuthorities(caFile: string | undefined): SecureContext {
  if (caFile === undefined) return createSecureContext();
  const certificates = readFileSync(caFile, 'utf8').match(pemCertificate) ?? [];
  if (certificates.length === 0) throw new Error(`${caFile} contains no PEM certificate`);
  for (const certificate of certificates) assertCertificate(certificate, caFile);
  return createSecureContext({ ca: [...rootCertificates, ...certificates] });
}

const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Throws if a certificate is invalid, so that the service does not start. Node ignores invalid certificates in `ca`, so
 * without this check only the deliveries would fail.
 */
function assertCertificate(certificate: string, caFile: string): void {
  try {
    new X509Certificate(certificate);
  } catch (cause) {
    throw new Error(`${caFile} holds a certificate that cannot be read`, { cause });
  }
}

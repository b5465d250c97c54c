import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';

/**
 * The public authorities, and the private ones of the PEM file `caFile`.
 * @throws Error where the file cannot be read or holds no certificate
 */
export function loadCertificateAuthorities(caFile: string | undefined): SecureContext {
  if (caFile === undefined) return createSecureContext();
  const certificates = readFileSync(caFile, 'utf8').match(pemCertificate) ?? [];
  if (certificates.length === 0) throw new Error(`${caFile} holds no PEM certificate`);
  for (const certificate of certificates) assertCertificate(certificate, caFile);
  return createSecureContext({ ca: [...rootCertificates, ...certificates] });
}

const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** A secure context passes over what it cannot read, and the authority would be missed only at the first delivery. */
function assertCertificate(certificate: string, caFile: string): void {
  try {
    new X509Certificate(certificate);
  } catch (cause) {
    throw new Error(`${caFile} holds a certificate that cannot be read`, { cause });
  }
}

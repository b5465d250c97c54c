import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/**
 * Starts an OpenID provider for tests. Its tokens have the format of a Keycloak realm (RS256, `typ: JWT`) and any
 * claims that the test chooses.
 */
export async function startSigningProvider(lifespanSeconds: number) {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' };
  const server = createServer((request, response) => {
    const isKeys = request.url === '/realms/tocsin/protocol/openid-connect/certs';
    const metadata = { issuer, jwks_uri: `${issuer}/protocol/openid-connect/certs` };
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(isKeys ? { keys: [jwk] } : metadata));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/realms/tocsin`;
  return {
    issuer,
    sign: (claims: Record<string, unknown>) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: 'k1' })
        .setIssuer(issuer)
        .setIssuedAt()
        .setExpirationTime(`${lifespanSeconds} s`)
        .sign(privateKey),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

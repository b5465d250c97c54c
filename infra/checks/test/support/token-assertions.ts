import { createIdentity, type Identity, type Principal } from '@tocsin/identity';
import { createLogger, createMetrics } from '@tocsin/kit';

/** Creates a token verification that trusts only `issuer`. */
export function identityFor(issuer: string, audience: 'tocsin-api' | 'tocsin-engine'): Identity {
  return createIdentity({
    settings: {
      issuers: [
        {
          issuer,
          audience,
          groupsClaim: 'groups',
          rolesClaim: 'realm_access.roles',
          workspaces: 'all',
        },
      ],
    },
    logger: createLogger({ service: 'test', level: 'silent' }),
    metrics: createMetrics({ service: 'test' }),
    shutdown: { addInterval() {} },
  });
}

export interface Holder {
  token: string;
  workspaceId: string;
  role: 'reader' | 'responder' | 'editor' | 'publisher' | 'admin';
  isDeploymentAdmin: boolean;
  /** True if the token has the engine's audience. */
  isForEngine: boolean;
}

/**
 * Checks that the APIs accept the token of `holder`, and read the expected issuer and roles from the token. If the
 * token lacks the audience of the engine, checks that the engine rejects it.
 */
export async function expectAccepted(issuer: string, holder: Holder): Promise<void> {
  for (const audience of ['tocsin-api', 'tocsin-engine'] as const) {
    if (audience === 'tocsin-engine' && !holder.isForEngine) {
      const rejection = { detail: 'The access token is for another audience.' };
      await expect(identityFor(issuer, audience).verifyToken(holder.token)).rejects.toMatchObject(rejection);
      continue;
    }
    const principal: Principal = await identityFor(issuer, audience).verifyToken(holder.token);
    expect(principal).toMatchObject({
      issuer,
      subject: expect.stringMatching(/./),
      workspaceRoles: new Map([[holder.workspaceId, new Set([holder.role])]]),
      deploymentRoles: new Set(holder.isDeploymentAdmin ? ['tocsin_admin', 'tocsin_engine_admin'] : []),
    });
  }
}

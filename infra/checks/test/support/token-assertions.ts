import { createIdentity, type Identity, type Principal } from '@tocsin/identity';
import { createLogger, createMetrics } from '@tocsin/kit';

/** What identity is set to when nothing is configured but the issuer. */
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
  });
}

export interface Holder {
  token: string;
  workspaceId: string;
  role: 'reader' | 'editor' | 'publisher' | 'admin';
  isDeploymentAdmin: boolean;
}

/** What both APIs must read in a token of this holder, wherever the token comes from. */
export async function expectAccepted(issuer: string, holder: Holder): Promise<void> {
  for (const audience of ['tocsin-api', 'tocsin-engine'] as const) {
    const principal: Principal = await identityFor(issuer, audience).verifyToken(holder.token);
    expect(principal).toMatchObject({
      issuer,
      subject: expect.stringMatching(/./),
      workspaceRoles: new Map([[holder.workspaceId, new Set([holder.role])]]),
      deploymentRoles: new Set(holder.isDeploymentAdmin ? ['tocsin_admin', 'tocsin_engine_admin'] : []),
    });
  }
}

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface TokenCall {
  grant: string;
  form: URLSearchParams;
}

interface Reply {
  status?: number;
  body: unknown;
  delayUntil?: Promise<void>;
}

export interface ScriptedProvider {
  issuer: string;
  /** Requests to the token endpoint, oldest first. */
  calls: TokenCall[];
  /**
   * Sets the responses to the next token requests. Later requests get the tokens `t1`, `t2` and so on, valid for 300
   * seconds.
   */
  script(...replies: Reply[]): void;
  /** True: every request fails, discovery included. */
  setDown(down: boolean): void;
  close(): Promise<void>;
}

/** Starts an OAuth provider with scripted responses, for failures that a real provider does not produce on request. */
export async function startScriptedProvider(
  options: { device?: Record<string, unknown>; metadata?: Record<string, unknown> } = {},
): Promise<ScriptedProvider> {
  const calls: TokenCall[] = [];
  const replies: Reply[] = [];
  let down = false;
  let made = 0;
  let issuer = '';

  const respond = async (path: string, form: URLSearchParams): Promise<Reply> => {
    if (down) return { status: 503, body: {} };
    if (path.endsWith('/.well-known/openid-configuration')) {
      return {
        body: {
          issuer,
          token_endpoint: `${issuer}/token`,
          device_authorization_endpoint: `${issuer}/device`,
          ...options.metadata,
        },
      };
    }
    if (path.endsWith('/device')) {
      const device = {
        device_code: 'dc',
        user_code: 'AB-CD',
        verification_uri: `${issuer}/enter`,
        expires_in: 600,
      };
      return { body: { ...device, ...options.device } };
    }
    calls.push({ grant: form.get('grant_type') ?? '', form });
    const reply = replies.shift();
    await reply?.delayUntil;
    made += 1;
    return reply ?? { body: { access_token: `t${made}`, token_type: 'Bearer', expires_in: 300 } };
  };

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    const { status = 200, body } = await respond(request.url ?? '', form);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/realms/test`;

  return {
    issuer,
    calls,
    script: (...more) => void replies.push(...more),
    setDown(value) {
      down = value;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

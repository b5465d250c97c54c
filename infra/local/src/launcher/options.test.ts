import { readOptions } from './options.js';

describe('readOptions', () => {
  it('starts everything with one worker and the sample by default', () => {
    expect(readOptions([], {})).toEqual({
      sample: true,
      workers: 1,
      portBase: 8700,
      databaseUrl: undefined,
      amqpUrl: undefined,
      oidcIssuer: undefined,
      accessTokenTtlSeconds: 300,
    });
  });

  it('reads flags and environment', () => {
    const env = {
      PORT_BASE: '9700',
      DATABASE_URL: 'postgres://u:p@db/x',
      AMQP_URL: '',
      OIDC_ISSUER: 'https://sso/realms/a',
    };
    expect(readOptions(['--no-sample', '--workers', '3'], env)).toMatchObject({
      sample: false,
      workers: 3,
      portBase: 9700,
      databaseUrl: 'postgres://u:p@db/x',
      amqpUrl: undefined,
      oidcIssuer: 'https://sso/realms/a',
    });
  });

  it('takes the workspace of an external provider', () => {
    const env = { OIDC_ISSUER: 'https://sso/realms/a', WORKSPACE_ID: '6F1D0F0E-6c39-4c0b-8f5e-0b8a1c9f2a11' };
    expect(readOptions([], env).workspaceId).toBe('6f1d0f0e-6c39-4c0b-8f5e-0b8a1c9f2a11');
    expect(() => readOptions([], { ...env, WORKSPACE_ID: 'mine' })).toThrow('WORKSPACE_ID must be a UUID');
    expect(() => readOptions([], { ...env, OIDC_ISSUER: '' })).toThrow('WORKSPACE_ID needs OIDC_ISSUER');
    expect(readOptions([], { WORKSPACE_ID: '' }).workspaceId).toBeUndefined();
  });

  it('names every mistake in one error with the usage', () => {
    const read = () => readOptions(['--workers', '0'], { PORT_BASE: '80', OIDC_ISSUER: 'sso' });
    expect(read).toThrow(/--workers.*\n.*PORT_BASE.*\n.*OIDC_ISSUER.*\nusage:/);
  });

  it.each(['1.5', '-1', 'many', '1e3', '0x10'])('refuses %s workers', (workers) => {
    expect(() => readOptions([`--workers=${workers}`], {})).toThrow(/--workers must be a whole number/);
  });

  it('refuses a flag that it does not know', () => {
    expect(() => readOptions(['--wrokers', '2'], {})).toThrow(/--wrokers/);
  });

  it('does not repeat a refused URL, which may hold a password', () => {
    expect(() => readOptions([], { DATABASE_URL: 'mysql://root:hunter2@db/x' })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  });
});

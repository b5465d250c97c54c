import { readOptions } from './options.js';

const issuer = 'https://sso/realms/a';

describe('readOptions', () => {
  test('without options, npm start runs one worker and fires a sample alert after the start', () => {
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

  test('npm start reads its options from flags and environment variables', () => {
    const env = {
      PORT_BASE: '9700',
      DATABASE_URL: 'postgres://u:p@db/x',
      AMQP_URL: '',
      OIDC_ISSUER: issuer,
    };
    expect(readOptions(['--no-sample', '--workers', '3'], env)).toMatchObject({
      sample: false,
      workers: 3,
      portBase: 9700,
      databaseUrl: 'postgres://u:p@db/x',
      amqpUrl: undefined,
      oidcIssuer: issuer,
    });
  });

  test('WORKSPACE_ID must be a UUID, and is rejected if OIDC_ISSUER is not set', () => {
    const env = { OIDC_ISSUER: issuer, WORKSPACE_ID: '6F1D0F0E-6c39-4c0b-8f5e-0b8a1c9f2a11' };
    expect(readOptions([], env).workspaceId).toBe('6f1d0f0e-6c39-4c0b-8f5e-0b8a1c9f2a11');
    expect(() => readOptions([], { ...env, WORKSPACE_ID: 'mine' })).toThrow('WORKSPACE_ID must be a UUID');
    expect(() => readOptions([], { ...env, OIDC_ISSUER: '' })).toThrow('WORKSPACE_ID needs OIDC_ISSUER');
    expect(readOptions([], { WORKSPACE_ID: '' }).workspaceId).toBeUndefined();
  });

  test('one error lists all invalid options of npm start and shows the usage', () => {
    const read = () => readOptions(['--workers', '0'], { PORT_BASE: '80', OIDC_ISSUER: 'sso' });
    expect(read).toThrow(/--workers.*\n.*PORT_BASE.*\n.*OIDC_ISSUER.*\nusage:/);
  });

  test.each(['1.5', '-1', 'many', '1e3', '0x10'])('npm start rejects the worker count %s', (workers) => {
    expect(() => readOptions([`--workers=${workers}`], {})).toThrow(/--workers must be a whole number/);
  });

  test('npm start rejects an unknown flag', () => {
    expect(() => readOptions(['--wrokers', '2'], {})).toThrow(/--wrokers/);
  });

  test('the error for an invalid URL does not contain the URL, which can contain a password', () => {
    expect(() => readOptions([], { DATABASE_URL: 'mysql://root:hunter2@db/x' })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  });
});

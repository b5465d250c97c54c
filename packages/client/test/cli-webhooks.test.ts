import { type Named, useCliStack } from './support/cli-stack.js';

const stack = useCliStack();
const { run, runJson, createWebhook } = stack;

describe('webhooks', () => {
  test('webhooks are created from flags, shown, changed, listed and deleted', async () => {
    const headers = ['--header', 'X-Team: a', '--header', 'X-Team: b:c', '--no-retry-on-timeout'];
    const { id } = await createWebhook('first', ...headers);
    expect(await runJson(['webhooks', 'get', id])).toMatchObject({
      name: 'first',
      headers: { 'X-Team': ['a', 'b:c'] },
      enabled: true,
      retry_on_timeout: false,
    });
    expect(await runJson(['webhooks', 'update', id, '--disable', '--name', 'renamed'])).toMatchObject({
      name: 'renamed',
      enabled: false,
      retry_on_timeout: false,
    });
    expect((await run(['webhooks', 'list', '--name', 'renamed'])).stdout).toMatch(
      /^ID +NAME +URL +STATE +ERROR +UPDATED\n[0-9a-f-]{36} +renamed +http:\/\/127\.0\.0\.1:9\/ +disabled/,
    );
    expect(await run(['webhooks', 'delete', id])).toMatchObject({ code: 0, stdout: `Deleted ${id}.\n` });
    expect(await run(['webhooks', 'get', id])).toMatchObject({ code: 5, stdout: '' });
  });

  test('a webhook is created from JSON on standard input, and flags replace its fields', async () => {
    const stdin = JSON.stringify({ name: 'piped', url: 'http://127.0.0.1:9/', body: '{}', enabled: false });
    const made = await runJson(['webhooks', 'create', '--from', '-', '--name', 'flagged'], { stdin });
    expect(made).toMatchObject({ name: 'flagged', enabled: false });
  });

  test('flags of `webhooks update` switch retries after timeouts on and off', async () => {
    const { id } = await createWebhook('timeouts', '--no-retry-on-timeout');
    const update = (...flags: string[]) => runJson(['webhooks', 'update', id, ...flags]);
    expect(await update('--retry-on-timeout')).toMatchObject({ retry_on_timeout: true });
    expect(await update('--no-retry-on-timeout')).toMatchObject({ retry_on_timeout: false });
    expect(await update('--disable')).toMatchObject({ retry_on_timeout: false });
  });

  test('`webhooks update` sets and removes single headers and keeps the others', async () => {
    const given = ['--header', 'X-Team: a', '--header', 'X-Team: b', '--header', 'X-Key: old'];
    const { id } = await createWebhook('headers', ...given);
    const update = (...flags: string[]) => runJson(['webhooks', 'update', id, ...flags]);
    expect(await update('--header', 'x-key: new')).toMatchObject({
      headers: { 'X-Team': ['a', 'b'], 'x-key': ['new'] },
    });
    expect(await update('--remove-header', 'x-team', '--header', 'X-More: c')).toMatchObject({
      headers: { 'x-key': ['new'], 'X-More': ['c'] },
    });
    const unknown = await run(['webhooks', 'update', id, '--remove-header', 'X-Team']);
    expect(unknown).toMatchObject({ code: 2, stderr: 'tocsin: The webhook has no header X-Team.\n' });
  });

  test('`webhooks create --from` accepts the output of `webhooks get --json`', async () => {
    const original = await createWebhook('original', '--header', 'X-Team: a', '--disable');
    const { stdout: stdin } = await run(['webhooks', 'get', original.id, '--json']);
    const copy = await runJson<Named>(['webhooks', 'create', '--from', '-', '--name', 'copy'], { stdin });
    expect(copy).toMatchObject({ name: 'copy', headers: { 'X-Team': ['a'] }, enabled: false });
    expect(copy.id).not.toBe(original.id);
    expect(await runJson(['webhooks', 'update', copy.id, '--from', '-'], { stdin })).toMatchObject({
      id: copy.id,
      name: 'original',
    });
    const typing = await run(['webhooks', 'update', copy.id, '--from', '-'], { stdin: '{"nmae": "x"}' });
    expect(typing).toMatchObject({ code: 6, stderr: expect.stringContaining('/nmae') });
  });

  test('a failed webhook test prints the reason and exits with 1', async () => {
    const { id } = await createWebhook('refused');
    const { code, stdout, stderr } = await run(['webhooks', 'test', id]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'tocsin: The test failed.\n' });
    expect(stdout).toMatch(/error +connection_refused/);
  });

  test('`webhooks preview` reads the body from standard input and prints an error on stderr', async () => {
    const body = '{"text": "{{ model_name }}"}';
    expect(await run(['webhooks', 'preview', '-'], { stdin: body })).toMatchObject({ code: 0 });
    const broken = await run(['webhooks', 'preview', '-'], { stdin: '{{ 1 +' });
    expect(broken).toMatchObject({ code: 1, stdout: '' });
    expect(broken.stderr).toContain('template_error');
  });

  test('a validation error is printed with the path of the field and exits with 6', async () => {
    const rejected = await run(['webhooks', 'create', '--name', 'x', '--url', 'nonsense', '--body', '{}']);
    expect(rejected.code).toBe(6);
    expect(rejected.stderr).toMatch(/\/url .+\n {2}\(request /s);
  });
});

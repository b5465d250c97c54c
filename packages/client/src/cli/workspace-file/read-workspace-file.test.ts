import { CommandFailure } from '../exit-codes.js';
import { readWorkspaceFile } from './read-workspace-file.js';

const read = (text: string) => readWorkspaceFile(text, 'w.yaml').content;

function faultsOf(text: string): string[] {
  try {
    read(text);
  } catch (error) {
    if (error instanceof CommandFailure && error.exitCode === 6) return error.message.split('\n');
    throw error;
  }
  return [];
}

const webhook = ['- name: chat', '  url: ${CHAT_URL}', "  body: '{}'"].map((line) => `  ${line}`).join('\n');
const file = (more: string) => `namespace: risk\nwebhooks:\n${webhook}\n${more}`;

test('a file can have comments, texts of several lines, and headers with one or several values', () => {
  const text = `# comment
namespace: risk
webhooks:
  - name: "chat: ops"
    external_id: risk/chat
    url: https://example.com/\${TOKEN}
    headers:
      Authorization: Bearer \${TOKEN}
      X-Team: [a, b]
    body: |-
      {"text":
        "{{ model_name }}"}
alert_rules:
  - {name: drift, model_id: a9c7d0de-51f4-4d0b-8a0c-6f2f5b7f1e11, threshold: 0.9, bound: lower_bound, notification_webhooks: [risk/chat]}
`;
  expect(read(text)).toMatchObject({
    webhooks: [
      {
        name: 'chat: ops',
        headers: { Authorization: 'Bearer ${TOKEN}', 'X-Team': ['a', 'b'] },
        body: '{"text":\n  "{{ model_name }}"}',
      },
    ],
    alert_rules: [{ threshold: 0.9, notification_webhooks: ['risk/chat'] }],
  });
});

test('a workspace file can be JSON', () => {
  expect(read('{"namespace": "risk", "settings": {"name": null}}')).toEqual({
    namespace: 'risk',
    settings: { name: null },
  });
});

test.each([
  ['a duplicate key', file('    name: again'), 'w.yaml:6: Map keys must be unique'],
  ['an unknown field', file('    colour: red'), 'w.yaml:6: webhooks 1, colour: is not a known property'],
  [
    'a pause, which is not configuration',
    file('    paused_until: null'),
    'w.yaml:6: webhooks 1, paused_until: is not',
  ],
  ['a wrong type', file('    enabled: yes'), 'w.yaml:6: webhooks 1, enabled: must be true or false'],
  [
    'a number for a text',
    'namespace: risk\nsettings:\n  name: 5',
    'w.yaml:3: settings, name: must be a string or null',
  ],
  [
    'a missing field',
    'namespace: risk\nwebhooks:\n  - name: x\n    body: "{}"',
    'w.yaml:3: webhooks 1, url: is required',
  ],
  [
    'a header of a wrong type',
    file('    headers:\n      X: {a: b}'),
    'w.yaml:7: webhooks 1, headers.X: must be',
  ],
  ['an alias', 'namespace: &a risk\nsettings:\n  name: *a', 'w.yaml:3: aliases are not supported'],
  ['a tag of a language', 'namespace: !!js/function risk', 'w.yaml:1: Unresolved tag'],
  ['two documents', 'namespace: a\n---\nnamespace: b', 'w.yaml:2: Source contains multiple documents'],
  ['no document', '', 'w.yaml:1: must be an object'],
  ['a list', '- a', 'w.yaml:1: must be an object'],
  ['broken YAML', 'namespace: [a', 'w.yaml:1: Flow sequence in block collection'],
  ['a tab as indentation', 'settings:\n\tname: x', 'w.yaml:2: '],
  ['a namespace with a slash', 'namespace: a/b', 'w.yaml:1: namespace: must be a namespace'],
  ['an empty namespace', 'namespace: ""', 'w.yaml:1: namespace: must be a namespace'],
  [
    'another namespace',
    file('    external_id: fraud/chat'),
    'w.yaml:6: webhooks 1, external_id: belongs to another namespace',
  ],
  [
    'a bad variable',
    file('    headers:\n      X: "${a-b}"'),
    'w.yaml:7: webhooks 1, headers.X: has a "${" that is no variable',
  ],
  [
    'a name that every object has',
    '__proto__: {}\nnamespace: a',
    'w.yaml:1: __proto__: is not a known property',
  ],
])('the error about a file with %s names the line', (_, text, fault) => {
  expect(faultsOf(text)[0]?.slice(0, fault.length)).toBe(fault);
});

test('5,000 or more unclosed brackets in a file are reported as one error', () => {
  for (const depth of [5_000, 20_000])
    expect(faultsOf(`namespace: risk\nwebhooks: ${'['.repeat(depth)}`)).toEqual([
      'w.yaml:1: is nested too deeply',
    ]);
});

test('errors are listed in the order of their lines', () => {
  const lines = faultsOf(`namespace: 5\nwebhooks:\n  - {name: 1, url: u,\n     colour: red, body: 5}`);
  expect(lines.map((line) => line.split(':')[1])).toEqual(['1', '3', '4', '4']);
});

test('a repeated external id in a list is an error', () => {
  const twice = ['one', 'two']
    .map((name) => `  - {name: ${name}, external_id: x, url: u, body: b}`)
    .join('\n');
  expect(faultsOf(`namespace: risk\nwebhooks:\n${twice}`)).toEqual([
    'w.yaml:4: webhooks 2, external_id: is also that of entry 1',
  ]);
});

test('at most 20 errors of a file are reported', () => {
  const entries = Array.from({ length: 40 }, (_, index) => `  - {name: w${index}, url: "\${", body: b}`).join(
    '\n',
  );
  const faults = faultsOf(`namespace: risk\nwebhooks:\n${entries}`);
  expect(faults).toHaveLength(21);
  expect([faults[0], faults[19], faults[20]]).toEqual([
    expect.stringContaining('w.yaml:3: webhooks 1, url: '),
    expect.stringContaining('w.yaml:22: webhooks 20, url: '),
    'and 20 more',
  ]);
});

test('a file with more than 1,000 webhooks is an error', () => {
  const entries = (count: number) =>
    Array.from({ length: count }, (_, index) => `  - {name: w${index}, url: u, body: b}`).join('\n');
  expect(read(`namespace: risk\nwebhooks:\n${entries(1_000)}`).webhooks).toHaveLength(1_000);
  expect(faultsOf(`namespace: risk\nwebhooks:\n${entries(1_001)}`)).toEqual([
    expect.stringMatching(/^w\.yaml:2: webhooks: must NOT have more than 1000 items/),
  ]);
});

test('YAML aliases are rejected before they are expanded', () => {
  const levels = Array.from(
    { length: 30 },
    (_, index) => `l${index + 1}: &l${index + 1} [${Array(10).fill(`*l${index}`).join(', ')}]`,
  );
  const startMs = performance.now();
  expect(faultsOf(`l0: &l0 x\n${levels.join('\n')}\nnamespace: a`)[0]).toBe(
    'w.yaml:2: aliases are not supported; repeat the value',
  );
  expect(performance.now() - startMs).toBeLessThan(2_000);
});

test('20,000 nested pairs of brackets are reported as one error', () => {
  const depth = 20_000;
  expect(faultsOf(`namespace: ${'['.repeat(depth)}${']'.repeat(depth)}`)).toHaveLength(1);
});

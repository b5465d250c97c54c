import { describeReady } from './report.js';
import type { StackFile } from './stack-file.js';

test.each([
  ['https://login.example/tenant', ''],
  ['https://id.example', 'tocsin', 'https://id.example/realms/tocsin'],
])('the report shows the sign-in at %s with the realm "%s"', (auth_url, realm, shown = auth_url) => {
  const facts = { auth_url, realm, users: {} } as StackFile;
  const report = describeReady({ facts, env: {}, stackFile: 'stack.json', seconds: 1 });
  expect(report.split('\n').find((line) => line.includes('sign-in'))).toBe(`  sign-in    ${shown}`);
});

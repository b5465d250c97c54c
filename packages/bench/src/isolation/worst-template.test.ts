import { readFileSync } from 'node:fs';
import { worstTemplate } from './worst-template.js';

test('the isolation suite uses the expensive template of packages/template/tools/costs', () => {
  const measured = new URL('../../../template/tools/costs/worst-template.ts', import.meta.url);
  expect(readFileSync(measured, 'utf8')).toContain(`'${worstTemplate}'`);
});

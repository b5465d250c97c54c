import { readFileSync } from 'node:fs';
import { worstTemplate } from './worst-template.js';

test('the isolation suite and packages/template/tools/costs use the same expensive template', () => {
  const measured = new URL('../../../template/tools/costs/worst-template.ts', import.meta.url);
  expect(readFileSync(measured, 'utf8')).toContain(`'${worstTemplate}'`);
});

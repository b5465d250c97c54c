import { readFileSync } from 'node:fs';
import { worstTemplate } from './worst-template.js';

test('the template of the isolation suite equals the slowest accepted one of the package', () => {
  const measured = new URL('../../../template/tools/costs/worst-template.ts', import.meta.url);
  expect(readFileSync(measured, 'utf8')).toContain(`'${worstTemplate}'`);
});

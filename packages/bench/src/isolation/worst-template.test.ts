import { readFileSync } from 'node:fs';
import { worstTemplate } from './worst-template.js';

test('the expensive template equals the worst accepted one of the template package', () => {
  const measured = new URL('../../../template/tools/costs/worst-template.ts', import.meta.url);
  expect(readFileSync(measured, 'utf8')).toContain(`'${worstTemplate}'`);
});

import { compareWithJinja2, findPython } from '../src/tools/fuzz/compare.js';

test('generated templates are answered as the Jinja2 of this machine answers them', () => {
  const python = findPython();
  const report =
    python === undefined
      ? { compared: 0, differences: [] }
      : compareWithJinja2(python, { seed: 20_250_314, count: 500 });
  expect(report.differences.length).toBeLessThanOrEqual(report.compared * 0.01);
});

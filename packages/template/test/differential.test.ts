import { compareWithJinja2, findPython } from '../tools/fuzz/compare-with-jinja2.js';

const count = 500;

test('at least 99 % of generated templates render as the Jinja2 of this machine renders them', () => {
  const python = findPython();
  const differences = python === undefined ? [] : compareWithJinja2(python, { seed: 20_250_314, count });
  expect(differences.length).toBeLessThanOrEqual(count * 0.01);
});

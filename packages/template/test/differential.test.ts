import { compareWithJinja2, findPython } from '../tools/fuzz/compare-with-jinja2.js';
import { compareWithRecorded } from '../tools/fuzz/recorded-results.js';

test('generated templates render to the recorded results of Jinja2', () => {
  const { count, differences } = compareWithRecorded();
  expect(count).toBeGreaterThanOrEqual(2_000);
  expect(differences).toEqual([]);
  // With Jinja2 on this machine, new templates are compared too. 1 % may differ, because its version can be another
  // one.
  const python = findPython();
  const fresh = python === undefined ? [] : compareWithJinja2(python, { seed: 20_250_314, count: 500 });
  expect(fresh.length).toBeLessThanOrEqual(5);
});

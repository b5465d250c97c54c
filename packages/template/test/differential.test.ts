import { compareWithJinja2, findPython } from '../tools/fuzz/compare-with-jinja2.js';
import { compareWithRecorded } from '../tools/fuzz/recorded-results.js';

test('generated templates render to the recorded results of Jinja2', () => {
  const { count, differences } = compareWithRecorded();
  expect(count).toBeGreaterThanOrEqual(2_000);
  expect(differences).toEqual([]);
  // If Jinja2 is installed on this machine, new templates are compared too. Up to 1 % of them may differ, because the
  // installed version can differ from the version of Jinja2 that rendered the recorded results.
  const python = findPython();
  const fresh = python === undefined ? [] : compareWithJinja2(python, { seed: 20_250_314, count: 500 });
  expect(fresh.length).toBeLessThanOrEqual(5);
});

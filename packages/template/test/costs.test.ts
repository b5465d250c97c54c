import {
  alertContext,
  createBodyChecker,
  createTemplateCompiler,
  defaultLimits,
  sampleFacts,
} from '../src/index.js';
import { hostileTemplates } from '../tools/costs/hostile-templates.js';
import { createCostMeter } from '../tools/costs/measure-cost.js';
import { worstAcceptedTemplate } from '../tools/costs/worst-template.js';

const measure = createCostMeter({ precision: 0.1, batchMs: 1 });

/**
 * Maximum CPU time of a template relative to a simple loop with the same number of steps. The slowest hostile templates
 * take about 5 times as long as the loop. If work of a template were not charged as steps, the template could take
 * hundreds of times as long.
 */
const maxRatio = 12;
let loopMs: number;

beforeAll(() => {
  const loop = hostileTemplates['loop that prints its index']!;
  loopMs = Math.max(...[1, 2, 3].map(() => measure(loop).acceptedMs));
});

test.each(Object.entries(hostileTemplates))(
  'the template "%s" takes less than 12 times the CPU time of a loop with as many steps',
  (_, template) => {
    const { acceptedMs, refusedMs, refusal } = measure(template);
    expect(refusal).not.toContain('nested too deeply');
    expect(Math.max(acceptedMs, refusedMs) / loopMs).toBeLessThan(maxRatio);
  },
);

test('the slowest known template uses more than 95 % of the budget, and is a valid body', () => {
  const now = () => 0;
  const compiled = createTemplateCompiler({ now })(worstAcceptedTemplate);
  if (!compiled.ok) throw new Error(compiled.error.message);
  const { steps } = compiled.template.measure(alertContext(sampleFacts));
  expect(steps).toBeGreaterThan(defaultLimits.steps * 0.95);
  expect(createBodyChecker({ now })(worstAcceptedTemplate)).toEqual({ ok: true, warnings: [] });
});

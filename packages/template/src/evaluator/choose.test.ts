import { compileTemplate } from '../compile-template.js';
import { chooseBySeed } from './choose.js';

function rendered(source: string, seed: string): string {
  const compiled = compileTemplate(source);
  const result = compiled.ok ? compiled.template.render(new Map(), seed) : compiled;
  return result.ok ? result.output : `${result.error.type}: ${result.error.message}`;
}

test('random makes the same choices for equal seeds, and other choices for different seeds', () => {
  const body = '{{ range(100000) | random }} {{ range(100000) | random }}';
  expect(rendered(body, 'a')).toBe(rendered(body, 'a'));
  expect(rendered(body, 'a')).not.toBe(rendered(body, 'b'));
});

test('two uses of random in one template make independent choices', () => {
  const pairs = Array.from({ length: 400 }, (_, index) =>
    rendered('{{ [0, 1] | random }}{{ [0, 1] | random }}', `id-${index}`),
  );
  for (const pair of ['00', '01', '10', '11']) {
    expect(pairs.filter((other) => other === pair).length).toBeGreaterThan(60);
  }
});

test('the choices of random are evenly distributed even if the seeds are similar', () => {
  const counts = Array<number>(10).fill(0);
  for (let index = 0; index < 10_000; index++) {
    counts[chooseBySeed(`0199c5f8-7e00-7000-8000-${String(index).padStart(12, '0')}`)(10)]! += 1;
  }
  for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(150);
});

test('the filter random accepts the values that random.choice of Python accepts', () => {
  const results = [
    '[]',
    "''",
    '{}',
    'nope',
    '{}.keys()', // Python accepts an empty view, because it needs no index.
    '[7]',
    '(7,)',
    "'x'",
    'range(7, 8)',
    '{0: 7}',
    '{false: 7}', // The only index is 0, which is the same key as false.
  ].map((value) => rendered(`[{{ ${value} | random }}]`, ''));
  expect(results).toEqual(['[]', '[]', '[]', '[]', '[]', '[7]', '[7]', '[x]', '[7]', '[7]', '[7]']);
  expect(rendered("{{ {'a': 1} | random }}", '')).toMatch(/^KeyError: /);
  expect(rendered("{{ {'a': 1}.keys() | random }}", '')).toMatch(/^TypeError: .* not subscriptable/);
  for (const value of ['7', 'none', '1.5', '[1] | map("string")']) {
    expect(rendered(`{{ ${value} | random }}`, '')).toMatch(/^TypeError: .* has no len\(\)/);
  }
});

import { createBodyCompiler, sampleFacts } from '@tocsin/template';
import { createRenderBody } from './prepare.js';

const { jest } = import.meta;

describe('the cache of compiled templates', () => {
  /** Renders the sources one after the other. Returns how often a source was compiled. */
  function compilationsOf(sources: string[]): number {
    const compile = jest.fn(createBodyCompiler());
    const render = createRenderBody(compile);
    for (const source of sources) render(source, { deliveryId: 'd', facts: sampleFacts });
    return compile.mock.calls.length;
  }

  test('each source is compiled once, even if it has errors', () => {
    expect(compilationsOf(['1', '{{ 1', '1', '{{ 1', ''])).toBe(3);
  });

  test('the least recently used template is removed above a million characters', () => {
    const sources = Array.from({ length: 16 }, (_, index) => `${index}`.padEnd(65_000));
    expect(compilationsOf([...sources, ...sources.slice(1)])).toBe(16);
    expect(compilationsOf([...sources, sources[0]!])).toBe(17);
  });
});

import { createTemplateCompiler } from './compile-template.js';
import { createTemplateCache } from './template-cache.js';

test('each source is compiled once, even if it has errors', () => {
  const compiled: string[] = [];
  const compile = createTemplateCompiler();
  const cache = createTemplateCache((source) => {
    compiled.push(source);
    return compile(source);
  });
  expect(cache.compile('{{ a }}')).toBe(cache.compile('{{ a }}'));
  expect(cache.compile('{{ a')).toBe(cache.compile('{{ a'));
  expect(compiled).toEqual(['{{ a }}', '{{ a']);
});

test('the least recently used template is dropped from a full cache', () => {
  const compiled: string[] = [];
  const compile = createTemplateCompiler();
  const cache = createTemplateCache(
    (source) => {
      compiled.push(source);
      return compile(source);
    },
    { maxEntries: 2 },
  );
  for (const source of ['a', 'b', 'a', 'c', 'a', 'b']) cache.compile(source);
  expect(compiled).toEqual(['a', 'b', 'c', 'b']);
  expect(cache.size).toBe(2);
});

test('the cache keeps at most a million characters of sources, so that it uses at most 100 MB', () => {
  const compile = createTemplateCompiler();
  const cache = createTemplateCache(compile);
  for (let index = 0; index < 20; index += 1) cache.compile(`${index}`.padEnd(65_000));
  expect(cache.size).toBe(15);
});

test('the cache limits the total number of characters of its sources', () => {
  const cache = createTemplateCache(createTemplateCompiler(), { maxCharacters: 10 });
  for (const source of ['aaaaaa', 'bbbbbb', 'cccccc']) cache.compile(source);
  expect(cache.size).toBe(1);
});

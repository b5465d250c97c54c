import { createTemplateCompiler } from './compile-template.js';
import { createTemplateCache } from './template-cache.js';

test('a source is compiled once, a broken one too', () => {
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

test('what was used least lately goes first when there are too many', () => {
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

test('it is bounded by characters as well', () => {
  const cache = createTemplateCache(createTemplateCompiler(), { maxCharacters: 10 });
  for (const source of ['aaaaaa', 'bbbbbb', 'cccccc']) cache.compile(source);
  expect(cache.size).toBe(1);
});

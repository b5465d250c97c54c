import { readdirSync, readFileSync } from 'node:fs';
import { sampleFacts } from '@tocsin/template/browser';
import { createInspector } from '../src/template-editor/inspect-template.js';
import { openPlaceholders, parseReadyTemplate } from '../src/template-editor/parse-ready-template.js';
import { pictureOf } from '../src/template-editor/picture.js';

const folder = new URL('../../../docs/templates/', import.meta.url);
const templates = readdirSync(folder)
  .filter((name) => name.endsWith('.j2'))
  .map((name) => parseReadyTemplate(name, readFileSync(new URL(name, folder), 'utf8')));

test.each(templates)(
  'the ready-made template $id has no problems, and its body has a preview picture',
  (template) => {
    const { problems, output } = createInspector(sampleFacts)(template.body);
    expect(problems).toEqual([]);
    const picture = pictureOf(JSON.parse(output ?? ''));
    expect(picture?.title).toMatch(/\w/);
    expect(picture?.parts).not.toEqual([]);
    expect(template.body).not.toMatch(/^\s*\{#/);
    expect(Object.keys(template.headers)).toContain('Content-Type');
  },
);

test('openPlaceholders returns only the placeholders that the user has not replaced yet', () => {
  const placeholders = { '<HOST>': 'the host', '<KEY>': 'the key' };
  expect(openPlaceholders(placeholders, ['https://<HOST>/', 'Bearer 1'])).toEqual([['<HOST>', 'the host']]);
});

test('a template file without metadata is rejected with an error that names the file', () => {
  expect(() => parseReadyTemplate('a/plain.json.j2', '{"a": 1}\n')).toThrow('a/plain.json.j2');
});

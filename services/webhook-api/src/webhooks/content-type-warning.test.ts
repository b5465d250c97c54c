import { contentTypeWarning } from './content-type-warning.js';

test.each([
  'application/json',
  'Application/JSON; charset=utf-8',
  'application/json;charset="UTF-8"',
  'application/cloudevents+json; charset=utf-8',
  'application/vnd.api+json',
  'application/json; charset=utf8',
  'application/json; version=1; charset=utf-8',
  'application/json; version=1',
])('the content type %s causes no warning', (value) => {
  expect(contentTypeWarning({ 'content-TYPE': [value] })).toBeUndefined();
});

test.each([
  [{}, /is missing/],
  [{ 'Content-Type': [] }, /is missing/],
  [{ Accept: ['application/json'] }, /is missing/],
  [{ 'Content-Type': ['text/plain'] }, /"text\/plain" does not fit the body, which is JSON/],
  [{ 'Content-Type': ['application/x-www-form-urlencoded'] }, /does not fit/],
  [{ 'Content-Type': ['json'] }, /does not fit/],
  [{ 'Content-Type': [''] }, /does not fit/],
  [{ 'Content-Type': ['application/json+x'] }, /does not fit/],
  [{ 'Content-Type': ['application/xml+jsonx'] }, /does not fit/],
  [{ 'Content-Type': ['application/json; charset=latin1'] }, /which is UTF-8/],
  [{ 'Content-Type': ['application/json; a=1; charset=utf-16'] }, /which is UTF-8/],
  [{ 'Content-Type': ['application/json'], 'content-type': ['a/b'] }, /several values/],
  [{ 'Content-Type': ['application/json', 'text/plain'] }, /several values/],
])('the headers %j cause a warning that names Content-Type', (headers, warning) => {
  expect(contentTypeWarning(headers as Record<string, string[]>)).toMatch(warning);
});

import { etagOf, requireMatch } from './etag.js';

const matches = (ifMatch: string | undefined, version = 3) => {
  try {
    requireMatch(ifMatch, version);
    return true;
  } catch (error) {
    expect(error).toMatchObject({
      code: 'precondition_failed',
      status: 412,
      detail: `If-Match does not contain the current ETag, which is "${version}" (with the quotes). Read the resource again, and repeat the request with its ETag if the change still fits.`,
      extra: { etag: `"${version}"` },
    });
    return false;
  }
};

test('the ETag of a resource is its version number in quotes', () => {
  expect(etagOf(12)).toBe('"12"');
});

test.each([
  undefined,
  '*',
  ' * ',
  '"3"',
  '\t"3" ',
  '"1", "3"',
  '"3","1"',
  ',, "3" ,',
  'W/"3", "3"',
  '"a,b", "3"',
])('If-Match %j allows a change of version 3', (ifMatch) => {
  expect(matches(ifMatch)).toBe(true);
});

test.each([
  '',
  ' ',
  ',',
  '3',
  "'3'",
  '"3',
  '""3""',
  '"2"',
  '"33"',
  '"03"',
  '"3 "',
  'W/"3"',
  'w/"3"',
  '"1", W/"3"',
  '"3" "4"',
  '"3";',
  '**',
  '*, "4"',
  '"*"',
  '\u00ff',
  '"'.repeat(10_000),
  ','.repeat(10_000),
  ' '.repeat(10_000),
  '"2",'.repeat(2_500),
])('If-Match %j rejects a change of version 3', (ifMatch) => {
  expect(matches(ifMatch)).toBe(false);
});

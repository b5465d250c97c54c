import {
  classifyDatabaseError,
  explainWriteFailure,
  NoConnectionError,
  toUnavailableError,
} from './errors.js';

const withCode = (code: string, more: object = {}) => Object.assign(new Error('failed'), { code, ...more });

test.each([
  [
    'unavailable',
    [
      ...['08003', '08006', '57P01', '57P02', '57P03', '53100', '53300', '55000', '58030', '25006'],
      ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
    ],
  ],
  ['timeout', ['57014', '55P03']],
  ['conflict', ['40P01', '40001', '23505']],
  ['invalid_value', ['22P02', '22021', '23502', '23503']],
  ['outdated_plan', ['26000']],
  ['missing_partition', ['42P01']],
  ['other', ['0A000', '42501', '25P02', '55006', '40P02', 'ERR_OUT_OF_RANGE', '']],
])('an error is classified as %s by its code', (kind, codes) => {
  expect(codes.map((code) => classifyDatabaseError(withCode(code)))).toEqual(codes.map(() => kind));
});

test('error 0A000 is an outdated plan only if the server reports it from RevalidateCachedQuery', () => {
  const outdated = withCode('0A000', { routine: 'RevalidateCachedQuery' });
  expect(classifyDatabaseError(outdated)).toBe('outdated_plan');
  const rejected = withCode('0A000', { routine: 'transformLockingClause' });
  expect(classifyDatabaseError(rejected)).toBe('other');
});

test('a check violation without a constraint name is classified as a missing partition', () => {
  expect(classifyDatabaseError(withCode('23514'))).toBe('missing_partition');
  expect(classifyDatabaseError(withCode('23514', { constraint: 'bound_check' }))).toBe('invalid_value');
});

test.each([
  'Connection terminated unexpectedly',
  'Client has encountered a connection error and is not queryable',
  'Query read timeout',
  'timeout expired',
])('the error "%s" of pg, which has no code, is classified as unavailable', (message) => {
  expect(classifyDatabaseError(new Error(message))).toBe('unavailable');
});

test('a failed connection is classified as unavailable, and its message lists all causes', () => {
  const refused = new AggregateError([new Error('refused by ::1'), new Error('refused by 127.0.0.1')]);
  const error = new NoConnectionError(refused);
  expect(classifyDatabaseError(error)).toBe('unavailable');
  expect(error.message).toBe('No connection to the database: refused by ::1; refused by 127.0.0.1');
});

test('an unavailable database or a timeout becomes a 503, and other errors stay unchanged', () => {
  expect(toUnavailableError(withCode('57014'))).toMatchObject({ code: 'unavailable', retryAfterSeconds: 2 });
  const duplicate = withCode('23505');
  expect(toUnavailableError(duplicate)).toBe(duplicate);
});

test.each(['40P01', '40001'])('the rollback %s becomes a 503 that says that nothing was changed', (code) => {
  expect(toUnavailableError(withCode(code))).toMatchObject({
    code: 'unavailable',
    retryAfterSeconds: 1,
    detail: expect.stringContaining('Nothing was changed; repeat the request.'),
  });
});

test.each([
  ['25006', 'The database is read-only.'],
  ['53100', 'The disk of the database is full.'],
  ['42501', 'The database user has no permission to write.'],
  ['53300', 'The database is unavailable.'],
  ['ECONNREFUSED', 'The database is unavailable.'],
  ['23505', 'The database rejects the worker’s writes.'],
])('a failed write with the code %s is explained by the sentence "%s"', (code, sentence) => {
  expect(explainWriteFailure(withCode(code))).toBe(sentence);
});

test('a value that is not an error is classified as other', () => {
  for (const thrown of [undefined, null, 'timeout expired', { code: '57014' }])
    expect(classifyDatabaseError(thrown)).toBe('other');
  expect(toUnavailableError(withCode('ECONNRESET'))).toMatchObject({ code: 'unavailable' });
});

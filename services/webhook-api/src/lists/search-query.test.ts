import { requireRecentSince } from './search-query.js';

const nowMs = Date.UTC(2026, 2, 31, 12);
const dayMs = 86_400_000;
const hourMs = 3_600_000;
const ago = (ms: number) => new Date(nowMs - ms).toISOString();

const oldest = 31 * dayMs + hourMs;
const filters = [
  ['label', { label: ['a:1'] }],
  ['model_id', { model_id: 'm' }],
  ['error_code', { error_code: 'timeout' }],
] as const;

test.each(filters)(
  'the filter %s requires `since` within the last 31 days, with an hour of tolerance',
  (name, filter) => {
    expect(() => requireRecentSince({ ...filter, since: ago(oldest) }, nowMs)).not.toThrow();
    expect(() => requireRecentSince({ ...filter, since: ago(0) }, nowMs)).not.toThrow();
    const message = `must be given with ${name}, as a time of the last 31 days`;
    for (const since of [{}, { since: ago(oldest + 1) }])
      expect(() => requireRecentSince({ ...filter, ...since }, nowMs)).toThrow(
        expect.objectContaining({
          code: 'validation_failed',
          detail: 'The query is not valid.',
          errors: [{ path: 'since', message }],
        }),
      );
  },
);

test('the error of a search without `since` names each filter that requires this parameter', () => {
  const all = Object.assign({}, ...filters.map(([, filter]) => filter));
  expect(() => requireRecentSince(all, nowMs)).toThrow(
    expect.objectContaining({
      errors: [
        {
          path: 'since',
          message: 'must be given with label and model_id and error_code, as a time of the last 31 days',
        },
      ],
    }),
  );
});

test('a query with a cursor, or without label, model_id and error_code, requires no `since`', () => {
  expect(() => requireRecentSince({}, nowMs)).not.toThrow();
  expect(() => requireRecentSince({ since: ago(100 * dayMs) }, nowMs)).not.toThrow();
  const further = { label: ['a:1'], since: ago(40 * dayMs), cursor: 'c' };
  expect(() => requireRecentSince(further, nowMs)).not.toThrow();
});

import { AppError } from './app-error.js';

test('an application error carries the HTTP status of its code', () => {
  expect(new AppError('conflict', 'The webhook is attached to a rule.').status).toBe(409);
});

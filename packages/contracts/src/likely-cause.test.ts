import { likelyCauseOf } from './likely-cause.js';

test.each([
  [300, 'redirects'],
  [302, 'Set the url of the webhook'],
  [399, 'redirects'],
  [400, 'not valid JSON'],
  [401, 'Authorization header'],
  [403, 'lacks permission'],
  [404, 'Wrong URL'],
  [415, 'Add the header Content-Type'],
  [429, 'ask its owner for a higher limit'],
])('the response status %i has a likely cause', (statusCode, cause) => {
  expect(likelyCauseOf(statusCode)).toContain(cause);
});

test.each([null, 200, 299, 402, 500, 503])('the response status %j has no likely cause', (statusCode) => {
  expect(likelyCauseOf(statusCode)).toBeNull();
});

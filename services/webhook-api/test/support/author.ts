import { authorOf } from '../../src/change.js';

/** Ada, the author of a change without `If-Match`. */
export const author = authorOf({
  principal: {
    issuer: 'https://id.example.com',
    subject: 'ada',
    display: 'Ada',
    workspaceRoles: new Map(),
    deploymentRoles: new Set(),
  },
  requestId: 'request',
  ifMatch: undefined,
});
export const principal = 'https://id.example.com#ada';

import { changeOf } from '../../src/change.js';

/** A change by the principal Ada, without `If-Match`. */
export const changeByAda = changeOf({
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
export const ada = 'https://id.example.com#ada';

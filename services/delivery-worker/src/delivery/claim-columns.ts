import { sqlArray } from '@tocsin/database';
import type { Claimed } from './claimed.js';

/** Claims as statements take them that ask for the fence: ids, runs, numbers. */
export function claimColumns(claims: Claimed[]): Buffer[] {
  return [
    sqlArray.uuid(claims.map(({ deliveryId }) => deliveryId)),
    sqlArray.integer(claims.map(({ run }) => run)),
    sqlArray.integer(claims.map(({ claim }) => claim)),
  ];
}

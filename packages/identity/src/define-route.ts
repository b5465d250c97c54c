import { type DefineRoute, routeDefiner } from '@tocsin/kit';
import type { Permission } from './permissions.js';
import type { Principal } from './principal.js';

/** Defines a route of the platform or the engine; kit's `createHttpApp` serves it. */
export const defineRoute: DefineRoute<Principal, Permission> = routeDefiner();

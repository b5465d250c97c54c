import { type DefineRoute, routeDefiner } from '@tocsin/kit';
import type { EngineCaller } from './engine-caller.js';

export const defineRoute: DefineRoute<EngineCaller, 'api_key_manage'> = routeDefiner();

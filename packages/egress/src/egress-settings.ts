import type { EnvReader } from '@tocsin/kit';
import { parseCidrs } from './address-rules.js';

export interface EgressSettings {
  /** Special-purpose address ranges that requests may reach (see `parseCidrs`). */
  allow: string[];
  /** Path of a file with further certificate authorities. */
  caFile: string | undefined;
}

export function readEgressSettings(read: EnvReader): EgressSettings {
  const allow = read.list('EGRESS_ALLOW', []);
  try {
    parseCidrs(allow);
  } catch {
    read.problem('EGRESS_ALLOW must be address ranges such as 10.0.0.0/8 or fd00::/8, separated by commas');
  }
  return { allow, caFile: read.optionalString('EGRESS_CA_FILE') };
}

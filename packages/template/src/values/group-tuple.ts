import { Tuple, type Value } from './value.js';

/** What `groupby` gives: a pair that can be unpacked, and read as `grouper` and `list`. */
export class GroupTuple extends Tuple {
  readonly grouper: Value;
  readonly list: Value[];

  constructor(grouper: Value, list: Value[]) {
    super([grouper, list]);
    this.grouper = grouper;
    this.list = list;
  }
}

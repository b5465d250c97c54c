/** Python's `range`. Jinja2's sandbox limits it to 100,000 items. */
export class Range {
  readonly start: bigint;
  readonly stop: bigint;
  readonly step: bigint;
  readonly length: number;

  constructor(start: bigint, stop: bigint, step: bigint) {
    this.start = start;
    this.stop = stop;
    this.step = step;
    this.length = Number(rangeLength(start, stop, step));
  }

  at(index: number): bigint {
    return this.start + BigInt(index) * this.step;
  }

  *[Symbol.iterator](): Generator<bigint> {
    for (let index = 0; index < this.length; index++) yield this.at(index);
  }

  slice(start: number, step: number, length: number): Range {
    const from = this.at(start);
    const by = this.step * BigInt(step);
    return new Range(from, from + BigInt(length) * by, by);
  }
}

export function rangeLength(start: bigint, stop: bigint, step: bigint): bigint {
  if (step > 0n) return stop > start ? (stop - start + step - 1n) / step : 0n;
  return start > stop ? (start - stop - step - 1n) / -step : 0n;
}

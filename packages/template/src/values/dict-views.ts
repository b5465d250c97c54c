import type { Runtime } from '../evaluator/runtime.js';
import { RenderFailure } from '../failures.js';
import type { Dict } from './dict.js';
import { NativeObject } from './native-object.js';
import { reprItems } from './repr.js';
import { Tuple, type Value } from './value.js';

/** What `keys()`, `values()` and `items()` give: live views of a dict. */
export class DictView extends NativeObject {
  readonly dict: Dict;
  readonly kind: 'keys' | 'values' | 'items';

  constructor(dict: Dict, kind: 'keys' | 'values' | 'items') {
    super();
    this.dict = dict;
    this.kind = kind;
  }

  get typeName(): string {
    return `dict_${this.kind}`;
  }

  repr(runtime: Runtime): string {
    return `${this.typeName}([${reprItems([...this.iterate()], runtime)}])`;
  }

  override readonly iterate = (): Iterator<Value> & Iterable<Value> => {
    const { kind } = this;
    return iterateDict(this.dict, ([key, value]) =>
      kind === 'keys' ? key : kind === 'values' ? value : new Tuple([key, value]),
    );
  };

  override readonly size = (): number => this.dict.size;
}

export function* iterateDict(dict: Dict, pick: (entry: [Value, Value]) => Value): Generator<Value> {
  const { size } = dict;
  for (const entry of dict.entries()) {
    if (dict.size !== size) throw changedSize();
    yield pick(entry);
  }
  if (dict.size !== size) throw changedSize();
}

function changedSize(): RenderFailure {
  return new RenderFailure('RuntimeError', 'dictionary changed size during iteration');
}

import { NativeObject, type Value } from './value.js';

interface Members {
  readonly typeName: string;
  readonly repr: () => string;
  readonly attribute?: (name: string) => Value | undefined;
  readonly call?: () => Value;
}

/**
 * Creates an object from its members. Objects that are created often, such as bound methods, are instances of classes
 * instead, because these need fewer closures.
 */
export function createObject(members: Members): NativeObject {
  return new SimpleObject(members);
}

class SimpleObject extends NativeObject {
  readonly typeName: string;
  override readonly call: Members['call'];
  readonly #members: Members;

  constructor(members: Members) {
    super();
    this.typeName = members.typeName;
    this.call = members.call;
    this.#members = members;
  }

  repr(): string {
    return this.#members.repr();
  }

  override attribute(name: string): Value | undefined {
    return this.#members.attribute?.(name);
  }
}

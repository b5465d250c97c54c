/** `file`: one resource for all tests of a file. `test`: a new one for each test. */
export type ResourceScope = 'file' | 'test';

export interface ResourceOptions<T> {
  /** Scope of the resource. The default is `file`. */
  each?: ResourceScope;
  create: () => T | Promise<T>;
  close?: (resource: T) => unknown;
}

/**
 * Creates one resource for all tests of a file, or one for each test, and closes it afterwards. The result has the
 * properties of the current resource. They can be read only inside hooks and tests, because the resource does not exist
 * outside of them.
 */
export function useResource<T extends object>({
  each = 'file',
  create,
  close = () => {},
}: ResourceOptions<T>): T {
  let current: T | undefined;
  const open = async () => {
    current = await create();
  };
  const end = async () => {
    // Jest runs this hook even if the creation of the resource failed. The resource is then undefined.
    if (current) await close(current);
    current = undefined;
  };
  if (each === 'file') {
    beforeAll(open);
    afterAll(end);
  } else {
    beforeEach(open);
    afterEach(end);
  }
  const opened = (): T => {
    if (!current) throw new Error('A resource of the tests can be read inside hooks and tests only.');
    return current;
  };
  return new Proxy({} as T, {
    get: (_, name) => Reflect.get(opened(), name),
    has: (_, name) => Reflect.has(opened(), name),
    ownKeys: () => Reflect.ownKeys(opened()),
    getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(opened(), name),
  });
}

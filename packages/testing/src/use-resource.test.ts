import { useResource } from './use-resource.js';

let created = 0;
const closed: number[] = [];
const shared = useResource({ create: () => ({ id: 'shared' }) });
const fresh = useResource({
  each: 'test',
  create: async () => {
    created += 1;
    return { number: created };
  },
  close: ({ number }) => closed.push(number),
});

let errorOutside: unknown;
try {
  expect(shared.id).toBe('shared');
} catch (error) {
  errorOutside = error;
}

test('a read of a resource outside hooks and tests throws an error that names the allowed places', () => {
  expect(errorOutside).toEqual(new Error('A resource of the tests can be read inside hooks and tests only.'));
});

test('a resource with the scope `test` is created before each test and closed after it', () => {
  expect([created, fresh.number, closed]).toEqual([2, 2, [1]]);
});

test('spread syntax and the operator `in` use the properties of the current resource', () => {
  expect({ ...shared }).toEqual({ id: 'shared' });
  expect('id' in shared).toBe(true);
  expect('number' in shared).toBe(false);
});

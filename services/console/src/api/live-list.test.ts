import { QueryClient } from '@tanstack/react-query';
import { refreshLists } from './live-list.js';

test('a refresh of lists changes no other data whose query keys start with the same key', async () => {
  const queryClient = new QueryClient();
  const others = [['a'], true, null, { total: 1 }];
  for (const [index, data] of others.entries()) queryClient.setQueryData(['deliveries', index], data);
  queryClient.setQueryData(['deliveries', 'list'], { items: [], wholePageAtMs: 5 });
  await refreshLists(queryClient, ['deliveries']);
  expect(queryClient.getQueryData(['deliveries', 'list'])).toEqual({ items: [], wholePageAtMs: 0 });
  expect(others.map((_, index) => queryClient.getQueryData(['deliveries', index]))).toEqual(others);
  queryClient.clear();
});

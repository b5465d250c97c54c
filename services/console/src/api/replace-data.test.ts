import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { replaceData } from './replace-data.js';

test('the response to a change is not replaced by the response to an earlier request', async () => {
  const queryClient = new QueryClient();
  const queryKey = ['settings'];
  const responses: ((data: string) => void)[] = [];
  const queryFn = () => new Promise<string>((resolve) => responses.push(resolve));
  const stop = new QueryObserver(queryClient, { queryKey, queryFn, staleTime: 1_000 }).subscribe(() => {});
  await replaceData(queryClient, queryKey, 'after the change');
  responses[0]?.('before the change');
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(responses).toHaveLength(1);
  expect(queryClient.getQueryData(queryKey)).toBe('after the change');
  stop();
  queryClient.clear();
});

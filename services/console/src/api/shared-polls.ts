import { useRef } from 'react';

/**
 * Returns a function that calls `request` to send the request of a poll. The argument of `request` is a maximum age in
 * seconds: the API may return a response to another user that is at most this old. Two kinds of polls need a new
 * response, so `request` is called with undefined for them: the first poll after the page was opened, and a poll after
 * an action of the user (`mayShare` is false).
 */
export function useSharedPolls(maxAgeSeconds: number) {
  /** True after the first response since the page was opened. */
  const hasPolled = useRef(false);
  return async <T>(
    { mayShare }: { mayShare: boolean },
    request: (maxAgeSeconds: number | undefined) => Promise<T>,
  ): Promise<T> => {
    const response = await request(hasPolled.current && mayShare ? maxAgeSeconds : undefined);
    hasPolled.current = true;
    return response;
  };
}

import { useRef } from 'react';

/**
 * Returns a function that sends the request of a poll. Polls of many users share their responses: the request gets the
 * accepted age of the response in seconds. The first request after the page was opened gets none, nor one that may not
 * share its response because it follows an action of the user. These must show what has just happened.
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

import { useRef } from 'react';

/**
 * Returns a function that sends the request of a poll. Polls of many users share their responses, which may have the
 * given age. The first request after the page was opened shares none, nor does one after an action of the user
 * (`mayShare` is false), because it must show what has just happened.
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

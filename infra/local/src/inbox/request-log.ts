export interface ReceivedRequest {
  /** Sequence number of the request, counted from 1 since the start of the inbox. */
  number: number;
  receivedAt: string;
  method: string;
  url: string;
  /**
   * Header lines in the order received, with the spelling of the sender. A repeated header has one entry for each line.
   */
  headers: [name: string, value: string][];
  /** Body decoded as UTF-8. `bodyBase64` contains the exact bytes. */
  body: string;
  bodyBase64: string;
  /** 0 if the connection was closed without a response. */
  responseStatus: number;
}

export interface RequestLog {
  add(request: Omit<ReceivedRequest, 'number'>): void;
  /** Returns the stored requests, newest first. */
  list(): ReceivedRequest[];
  clear(): void;
}

/** Stores the last `capacity` requests. */
export function createRequestLog(capacity: number): RequestLog {
  let received: ReceivedRequest[] = [];
  let count = 0;
  return {
    add(request) {
      count += 1;
      received = [{ number: count, ...request }, ...received.slice(0, capacity - 1)];
    },
    list: () => received,
    clear: () => {
      received = [];
    },
  };
}

export interface ReceivedRequest {
  /** Counted from 1 since the inbox started. */
  number: number;
  receivedAt: string;
  method: string;
  url: string;
  /** As they stood on the wire: names as written, in order, one entry for each line. */
  headers: [name: string, value: string][];
  /** The body's bytes as text, and exactly as they came. */
  body: string;
  bodyBase64: string;
  answeredWith: number;
}

export interface RequestLog {
  add(request: Omit<ReceivedRequest, 'number'>): void;
  /** Newest first. */
  list(): ReceivedRequest[];
  clear(): void;
}

/** Keeps the last `capacity` requests. */
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

import type pg from 'pg';

interface Row {
  deliveryTag: number;
  alertId: string;
  statusCode: number;
  response: string;
  body: string;
}

export interface RowWriter {
  add(row: Row): void;
  /** Number of committed rows. */
  written(): number;
  close(): Promise<void>;
}

const connections = 2;
const maxBatch = 400;
const insert = {
  name: 'bare-insert',
  text: `insert into bare_deliveries (alert_id, status_code, response, request_body)
         select * from unnest($1::uuid[], $2::integer[], $3::text[], $4::text[])`,
};

/**
 * Inserts up to 400 of the collected rows whenever one of two connections is free. After each commit, acknowledges all
 * messages before the first one whose row is not committed yet.
 */
export async function createRowWriter(
  createClient: () => pg.Client,
  ackUpTo: (deliveryTag: number) => void,
): Promise<RowWriter> {
  const clients = Array.from({ length: connections }, createClient);
  await Promise.all(clients.map((client) => client.connect()));
  const idle = [...clients];
  const finished = new Set<number>();
  let gathered: Row[] = [];
  let nextTag = 1;
  let written = 0;
  let scheduled = false;

  const flush = () => {
    scheduled = false;
    const client = gathered.length > 0 ? idle.pop() : undefined;
    if (client === undefined) return;
    const batch = gathered.slice(0, maxBatch);
    gathered = gathered.slice(maxBatch);
    const values = [
      batch.map((row) => row.alertId),
      batch.map((row) => row.statusCode),
      batch.map((row) => row.response),
      batch.map((row) => row.body),
    ];
    void client.query({ ...insert, values }).then(() => {
      idle.push(client);
      settle(batch);
      flush();
    });
  };
  const settle = (batch: Row[]) => {
    written += batch.length;
    for (const { deliveryTag } of batch) finished.add(deliveryTag);
    const first = nextTag;
    while (finished.delete(nextTag)) nextTag += 1;
    if (nextTag > first) ackUpTo(nextTag - 1);
  };
  return {
    add(row) {
      gathered.push(row);
      if (scheduled || idle.length === 0) return;
      scheduled = true;
      setImmediate(flush);
    },
    written: () => written,
    async close() {
      await Promise.all(clients.map((client) => client.end()));
    },
  };
}

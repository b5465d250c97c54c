import { setTimeout as sleep } from 'node:timers/promises';
import { alertFiredKey, alertsExchange } from '@tocsin/contracts';
import { type ConfirmChannel, connect } from 'amqplib';

/** A way into the system. What is not taken is offered again, as a careful publisher does. */
export interface Door {
  /** Calls `onAccepted` once the alert is the system's to deliver. */
  offer(sequence: number): void;
  /** Offered at this moment without an answer. */
  inFlight(): number;
  close(): void;
}

export interface AmqpDoorOptions {
  url: string;
  contentOf: (sequence: number) => string;
  onAccepted: (sequence: number) => void;
}

const retryMs = 250;

/** Publishes with confirms; what is unconfirmed when the connection ends is published again on the next one. */
export function openAmqpDoor({ url, contentOf, onAccepted }: AmqpDoorOptions): Door {
  const unconfirmed = new Set<number>();
  let channel: ConfirmChannel | undefined;
  let closed = false;

  const publish = (sequence: number) => {
    const open = channel;
    if (open === undefined) return;
    try {
      const properties = { persistent: true, mandatory: true, contentType: 'application/json' };
      open.publish(alertsExchange, alertFiredKey, Buffer.from(contentOf(sequence)), properties, (error) => {
        if (error) return;
        if (unconfirmed.delete(sequence)) onAccepted(sequence);
      });
    } catch {
      // The channel has just ended: the next one takes it.
    }
  };
  const keepConnected = async () => {
    while (!closed) {
      try {
        const connection = await connect(url, { noDelay: true, timeout: 5_000 });
        connection.on('error', () => {});
        const ended = new Promise((resolve) => connection.once('close', resolve));
        const opened = await connection.createConfirmChannel();
        opened.on('error', () => {});
        // A channel can end alone, as where its exchange is gone.
        opened.once('close', () => connection.close().catch(() => {}));
        channel = opened;
        for (const sequence of unconfirmed) publish(sequence);
        await ended;
      } catch {
        // The broker is away.
      }
      channel = undefined;
      await sleep(retryMs);
    }
  };
  void keepConnected();
  return {
    offer(sequence) {
      unconfirmed.add(sequence);
      publish(sequence);
    },
    inFlight: () => unconfirmed.size,
    close() {
      closed = true;
    },
  };
}

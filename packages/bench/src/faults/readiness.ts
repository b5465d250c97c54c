import { until } from '@tocsin/testing';
import type { ServiceProcess } from '../test-bed/services.js';

const noticeMs = 30_000;

/**
 * Waits until `/readyz` of each worker returns 503 with the reason.
 * @throws Error after 30 s
 */
export async function untilReported(workers: ServiceProcess[], reason: string): Promise<void> {
  const report = (worker: ServiceProcess) =>
    until(
      `${worker.name} reports: ${reason}`,
      async () => {
        const { status, text } = await readReadiness(worker);
        return status === 503 && text.includes(reason);
      },
      { timeoutMs: noticeMs },
    );
  await Promise.all(workers.map(report));
}

export async function readReadiness({ httpUrl }: ServiceProcess): Promise<{ status: number; text: string }> {
  const response = await fetch(`${httpUrl}/readyz`);
  return { status: response.status, text: await response.text() };
}

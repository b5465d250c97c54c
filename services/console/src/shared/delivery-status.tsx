import type { Delivery } from '@tocsin/client/browser';
import { StatusChip } from '../ui/index.js';
import { deliveryStatusWords, errorCodeWords, wordsOf } from './words.js';

export function DeliveryStatus({ status }: { status: Delivery['status'] }) {
  const { label, tone } = wordsOf(deliveryStatusWords, status) ?? { label: status, tone: 'muted' as const };
  return <StatusChip tone={tone}>{label}</StatusChip>;
}

interface LastAttempt {
  error_code: string | null;
  statusCode?: number | null;
  response?: { status_code: number } | null;
}

/** Returns the result of a delivery's last attempt as text: the HTTP status, or the error if there was no response. */
export function resultOf({
  error_code,
  response,
  statusCode = response?.status_code ?? null,
}: LastAttempt): string {
  if (statusCode !== null) return `HTTP ${statusCode}`;
  return error_code === null ? '–' : (wordsOf(errorCodeWords, error_code) ?? error_code);
}

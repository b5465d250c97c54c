import type { ReactNode } from 'react';
import type { Tone } from './messages.js';

/** A state in words. The colour repeats the words and says nothing else. */
export function StatusChip({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className="status" data-tone={tone}>
      {children}
    </span>
  );
}

/** A filter that can be removed. */
export function Chip({ children, onRemove }: { children: string; onRemove(): void }) {
  return (
    <span className="chip">
      {children}
      <button type="button" aria-label={`Remove the filter ${children}`} onClick={onRemove}>
        ×
      </button>
    </span>
  );
}

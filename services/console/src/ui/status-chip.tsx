import type { ReactNode } from 'react';
import type { Tone } from './messages.js';

/**
 * Shows a state as text with a colour. The text says everything that the colour says, for users who cannot see colours.
 */
export function StatusChip({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className="status" data-tone={tone}>
      {children}
    </span>
  );
}

/** An active filter with a button that removes it. */
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

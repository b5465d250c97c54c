/**
 * Routing key of pipeline markers in the exchange `tocsin.alerts`. Markers share the queue with alerts. The age of the
 * newest marker that a worker has committed is therefore the lag of the pipeline. Internal to Tocsin.
 */
export const pipelineMarkerKey = 'pipeline.marker';

/** Returns the message of a marker. `markedAtMs` is its time in Unix milliseconds, on the database's clock. */
export function encodePipelineMarker(markedAtMs: number): Buffer {
  return Buffer.from(
    JSON.stringify({ type: 'pipeline.marker', version: 1, marked_at: new Date(markedAtMs).toISOString() }),
  );
}

const markerPattern =
  /^\{"type":"pipeline\.marker","version":1,"marked_at":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)"\}$/;
const maxMarkerBytes = 128;

/**
 * Returns the time of a marker, in Unix milliseconds; undefined for content that `encodePipelineMarker` cannot have
 * created.
 */
export function decodePipelineMarker(content: Buffer): number | undefined {
  if (content.length > maxMarkerBytes) return undefined;
  const [, markedAt] = markerPattern.exec(content.toString('latin1')) ?? [];
  const markedAtMs = markedAt === undefined ? Number.NaN : Date.parse(markedAt);
  return Number.isNaN(markedAtMs) ? undefined : markedAtMs;
}

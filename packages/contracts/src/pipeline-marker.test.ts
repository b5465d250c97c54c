import { decodePipelineMarker, encodePipelineMarker } from './pipeline-marker.js';

test('encoding and decoding a pipeline marker keeps its time to the millisecond', () => {
  const markedAtMs = Date.UTC(2026, 10, 23, 5, 6, 7, 89);
  expect(decodePipelineMarker(encodePipelineMarker(markedAtMs))).toBe(markedAtMs);
});

test.each([
  '',
  '{}',
  'null',
  '{"type":"pipeline.marker","version":1}',
  '{"type":"pipeline.marker","version":1,"marked_at":"2026-13-45T99:99:99.000Z"}',
  '{"type":"pipeline.marker","version":1,"marked_at":"99999-01-01T00:00:00.000Z"}',
  `{"type":"pipeline.marker","version":1,"marked_at":"2026-01-01T00:00:00.000Z"}${' '.repeat(200)}`,
])('the content %s is rejected as a pipeline marker', (content) => {
  expect(decodePipelineMarker(Buffer.from(content))).toBeUndefined();
});

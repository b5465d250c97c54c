import type { SampleRenderer } from './render-sample.js';
export function checkTemplate(body: string): { problem: string | undefined; warnings: string[] } {
  try {
    JSON.parse(body.replace(/\{\{.*?\}\}/g, '0'));
    return { problem: undefined, warnings: [] };
  } catch {
    return { problem: 'not json', warnings: [] };
  }
}
export const sampleRenderer: SampleRenderer = {
  render: (body) => ({ ok: true, rendered: body.replace(/\{\{.*?\}\}/g, '0') }),
};

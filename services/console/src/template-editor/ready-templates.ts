import { parseReadyTemplate, type ReadyTemplate } from './parse-ready-template.js';

const files = import.meta.glob<string>('../../../../docs/templates/*.j2', {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** The templates of `docs/templates`, ordered by file name. */
export const readyTemplates: readonly ReadyTemplate[] = Object.entries(files)
  .map(([path, source]) => parseReadyTemplate(path, source))
  .sort((a, b) => a.id.localeCompare(b.id, 'en'));

export type { CodeEditorHandle } from './code-editor.js';
export type { Inspection } from './inspect-template.js';
export { openPlaceholders, type ReadyTemplate } from './parse-ready-template.js';
export { ReadyTemplates } from './ready-templates-view.js';
export { TemplateWorkbench } from './template-workbench.js';

export {
  type AlertFacts,
  type AlertOrNoticeFacts,
  alertContext,
  alertVariables,
  type NoticeFacts,
} from './alert/alert-context.js';
export { sampleContext } from './alert/sample-context.js';
export { sampleAlerts, sampleFacts } from './alert/sample-facts.js';
export { defaultLimits, type Limits } from './budget.js';
export { type BodyCheck, checkBody, createBodyChecker, type Finding } from './check/check-body.js';
export { findJsonFault } from './check/json-scanner.js';
export {
  type CompileResult,
  compileTemplate,
  createTemplateCompiler,
  type RenderResult,
  type Template,
  type TemplateContext,
  type TemplateOptions,
} from './compile-template.js';
export { createBodyCompiler } from './host/nunjucks-host.js';
export type { TemplateError } from './template-error.js';
export { fromJson, type Json } from './values/from-json.js';
export { Dict, Tuple, type Value } from './values/value.js';

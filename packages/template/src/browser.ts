/** Entry point for browsers: evaluator and body check, without nunjucks. */
export { type AlertFacts, alertContext } from './alert/alert-context.js';
export { sampleContext } from './alert/sample-context.js';
export { sampleAlerts, sampleFacts } from './alert/sample-facts.js';
export { bodyOptions } from './body-options.js';
export { type BodyCheck, createBodyChecker, type Finding } from './check/check-body.js';
export { findJsonFault } from './check/json-scanner.js';
export { createTemplateCompiler, type RenderResult, type Template } from './compile-template.js';
export { type TemplateNames, templateNames } from './template-names.js';
export { fromJson, type Json } from './values/from-json.js';

import { createRequire } from 'node:module';
import { Template as HuggingFaceTemplate } from '@huggingface/jinja';
import { Environment as MiniJinjaEnvironment } from 'minijinja-js';
import nunjucks from 'nunjucks';
import { type CaseResult, createCaseRunner } from '../cases/case-runner.js';

export interface Engine {
  readonly version: string;
  /** Renders a case. `line` is JSON: `{id, template, context}`. */
  run(line: string): CaseResult;
}

export type EngineName = keyof typeof engines;

/**
 * The template engines that are compared. Each has the settings that its documentation recommends for Jinja2 templates,
 * without HTML escapes.
 */
export const engines = {
  '@tocsin/template': (): Engine => ({ version: versionOf('@tocsin/template'), run: createCaseRunner() }),
  nunjucks: (): Engine => nunjucksEngine(),
  'nunjucks with installJinjaCompat': (): Engine => {
    nunjucks.installJinjaCompat();
    return nunjucksEngine();
  },
  'minijinja-js with enablePyCompat': (): Engine =>
    engine('minijinja-js', (template) => {
      // Each case has its own environment, because after a panic all later renderings in the same environment fail.
      const environment = new MiniJinjaEnvironment();
      environment.enablePyCompat();
      environment.addTemplate('case', template);
      return (context) => environment.renderTemplate('case', context);
    }),
  '@huggingface/jinja': (): Engine =>
    engine('@huggingface/jinja', (source) => {
      const template = new HuggingFaceTemplate(source);
      return (context) => template.render(context);
    }),
} as const;

function nunjucksEngine(): Engine {
  const environment = new nunjucks.Environment(null, { autoescape: false });
  return engine('nunjucks', (source) => {
    const template = nunjucks.compile(source, environment);
    // Compiles the template before the first rendering, so that compile errors are not reported as render errors.
    (template as unknown as { compile(): void }).compile();
    return (context) => template.render(context);
  });
}

type Compile = (template: string) => (context: Record<string, unknown>) => string;

function engine(packageName: string, compile: Compile): Engine {
  return {
    version: versionOf(packageName),
    run(line) {
      const { id, template, context } = JSON.parse(line) as {
        id: string;
        template: string;
        context: Record<string, unknown>;
      };
      let render: ReturnType<Compile>;
      try {
        render = compile(template);
      } catch (error) {
        return { id, error: String(error), phase: 'compile' };
      }
      try {
        return { id, output: render(context) };
      } catch (error) {
        return { id, error: String(error), phase: 'render' };
      }
    },
  };
}

function versionOf(packageName: string): string {
  const require = createRequire(import.meta.url);
  const paths = require.resolve.paths(packageName) ?? [];
  for (const path of paths) {
    try {
      return (require(`${path}/${packageName}/package.json`) as { version: string }).version;
    } catch {}
  }
  throw new Error(`${packageName} is not installed`);
}

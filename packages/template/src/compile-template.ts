import { Budget, defaultLimits, type Limits } from './budget.js';
import { type CompiledTemplate, compileTree } from './compiler/compiler.js';
import { type Choose, chooseBySeed, chooseFirst } from './evaluator/choose.js';
import { renderTree } from './evaluator/execute.js';
import { createGlobals } from './evaluator/globals.js';
import type { Runtime, TracePiece } from './evaluator/runtime.js';
import { CompileFailure } from './failures.js';
import { createFilters } from './filters/filters.js';
import { createJinjaTests } from './jinja-tests/jinja-tests.js';
import { normalizeSource } from './lexer/lexer.js';
import type { Statement } from './parser/nodes.js';
import { parse } from './parser/parser.js';
import { compileError, renderError, type TemplateError } from './template-error.js';
import type { Value } from './values/value.js';

export interface TemplateOptions {
  /**
   * If true, printed strings are escaped for the inside of a JSON string. Otherwise they are unchanged, as in Jinja2.
   */
  readonly json?: boolean;
  /** If true, `round` of an undefined value prints nothing. Otherwise it fails, as in Jinja2. */
  readonly lenientRound?: boolean;
  readonly limits?: Partial<Limits>;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
}

/** Variables by name: a Map, or an object that converts each value when a template reads it. */
export interface TemplateContext extends Iterable<readonly [string, Value]> {
  get(name: string): Value | undefined;
  keys(): Iterable<string>;
}

export type RenderResult =
  | { readonly ok: true; readonly output: string }
  | { readonly ok: false; readonly error: TemplateError };

/** A compiled template. It has no state of renderings, so it can be rendered many times, even concurrently. */
export interface Template {
  /** The source with LF as line end. Lines and columns of errors refer to it. */
  readonly source: string;
  /** Renders the template. With an equal `seed`, the filter `random` makes the same choices. Default: an empty seed. */
  render(context: TemplateContext, seed?: string): RenderResult;
}

/** A template with the details that the body check needs. */
export interface InspectableTemplate extends Template {
  readonly body: readonly Statement[];
  /** Renders the template, and adds each piece of the output to `pieces`, with its place in the source. */
  trace(context: TemplateContext, pieces: TracePiece[], options: TraceOptions): RenderResult;
  /** Renders the template. Returns the result and the number of steps, even if the rendering has failed. */
  measure(context: TemplateContext): { readonly result: RenderResult; readonly steps: number };
}

interface TraceOptions {
  /** Chooses items for the filter `random`. */
  readonly choose: Choose;
  /** Wall-clock limit in milliseconds. Default: the limit of the compiler. */
  readonly wallClockMs?: number;
}

export type CompileResult =
  | { readonly ok: true; readonly template: Template }
  | { readonly ok: false; readonly error: TemplateError };

export type InspectableResult =
  | { readonly ok: true; readonly template: InspectableTemplate }
  | { readonly ok: false; readonly error: TemplateError };

/** Maximum length of a source in UTF-16 units. A longer source causes a compile error and is not parsed. */
const maxSourceLength = 65_536;

/**
 * Creates a function that compiles templates. Jinja2's filters, tests and globals are created once and used for all
 * templates.
 */
export function createTemplateCompiler(options: TemplateOptions = {}): (source: string) => InspectableResult {
  const filters = createFilters();
  const tests = createJinjaTests();
  const globals = createGlobals();
  const limits = { ...defaultLimits, ...options.limits };
  const now = options.now ?? (() => performance.now());
  const renderOptions = { json: options.json ?? false, lenientRound: options.lenientRound ?? false };
  return (source) => {
    const normalized = normalizeSource(source);
    const compiled = tryCompile(normalized, { filters, tests });
    if (!compiled.ok) return compiled;
    const createRuntime = (
      choose: Choose,
      trace: TracePiece[] | null = null,
      wallClockMs = limits.wallClockMs,
    ): Runtime => ({
      template: compiled.tree,
      budget: new Budget(wallClockMs === limits.wallClockMs ? limits : { ...limits, wallClockMs }, now),
      options: renderOptions,
      filters,
      tests,
      globals,
      autoescape: false,
      offset: 0,
      choose,
      trace,
      printing: new Set(),
    });
    return { ok: true, template: createTemplate(normalized, compiled.tree, createRuntime) };
  };
}

/** Compiles one template. `createTemplateCompiler` is faster for many templates. */
export function compileTemplate(source: string, options: TemplateOptions = {}): CompileResult {
  return createTemplateCompiler(options)(source);
}

function tryCompile(
  source: string,
  known: Parameters<typeof compileTree>[1],
): { ok: true; tree: CompiledTemplate } | { ok: false; error: TemplateError } {
  try {
    if (source.length > maxSourceLength) {
      throw new CompileFailure(`the template is longer than ${maxSourceLength} characters`, 0);
    }
    return { ok: true, tree: compileTree(parse(source), known) };
  } catch (failure) {
    if (failure instanceof CompileFailure) return { ok: false, error: compileError(source, failure) };
    throw failure;
  }
}

function createTemplate(
  source: string,
  tree: CompiledTemplate,
  createRuntime: (choose: Choose, trace?: TracePiece[], wallClockMs?: number) => Runtime,
): InspectableTemplate {
  const render = (runtime: Runtime, context: TemplateContext): RenderResult => {
    try {
      return { ok: true, output: renderTree(runtime, context) };
    } catch (failure) {
      const known = [...context.keys(), ...runtime.globals.keys()];
      return { ok: false, error: renderError(source, runtime.offset, failure, known) };
    }
  };
  return {
    source,
    body: tree.body,
    render: (context, seed = '') => render(createRuntime(chooseBySeed(seed)), context),
    trace: (context, pieces, { choose, wallClockMs }) =>
      render(createRuntime(choose, pieces, wallClockMs), context),
    measure: (context) => {
      const runtime = createRuntime(chooseFirst);
      const result = render(runtime, context);
      return { result, steps: runtime.budget.steps };
    },
  };
}

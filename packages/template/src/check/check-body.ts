import { alertContext, alertVariables } from '../alert/alert-context.js';
import { sampleAlerts } from '../alert/sample-facts.js';
import { bodyOptions } from '../body-options.js';
import {
  createTemplateCompiler,
  type InspectableTemplate,
  type TemplateContext,
} from '../compile-template.js';
import { createGlobals } from '../evaluator/globals.js';
import type { TracePiece } from '../evaluator/runtime.js';
import { nearest } from '../nearest.js';
import { locate, type TemplateError } from '../template-error.js';
import type { Value } from '../values/value.js';
import { explainFault, expressionAt, expressionStart } from './explain-fault.js';
import { type JsonScan, scanJson } from './json-scanner.js';

/** A message for the author of a body, with its place. */
export interface Finding {
  /** Line number, counted from 1. */
  readonly line: number;
  /** Column in UTF-16 units, counted from 1. */
  readonly column: number;
  readonly message: string;
  /** The source line, and below it a `^` at the column. */
  readonly excerpt: string;
}

export type BodyCheck =
  | { readonly ok: true; readonly warnings: readonly Finding[] }
  | {
      readonly ok: false;
      readonly errors: readonly Finding[];
      readonly warnings: readonly Finding[];
      /** True if the check exceeded its time limit. On a machine that is less busy it may succeed. */
      readonly overran: boolean;
    };

/**
 * Checks the body of a webhook: it must compile, stay within the render budget and be JSON for each sample alert.
 * Unknown names are warnings and render as `0` here. Numbers in quotes and duplicate keys are warnings too. At most
 * 20 warnings are returned.
 */
export function checkBody(source: string): BodyCheck {
  return createBodyChecker()(source);
}

/** The time limit for all sample alerts together. A usual body takes 1 to 2 ms. The check blocks the event loop. */
const checkWallClockMs = 250;

/** The maximum number of warnings, because each one takes a search for its line. */
const maxWarnings = 20;

/** Returns a reusable checker. `now` is a monotonic clock in milliseconds. */
export function createBodyChecker({ now = () => performance.now() } = {}): (source: string) => BodyCheck {
  const compile = createTemplateCompiler({ ...bodyOptions, now });
  const globals = new Set(createGlobals().keys());
  return (source) => {
    const compiled = compile(source);
    if (!compiled.ok) return { ok: false, errors: [findingOf(compiled.error)], warnings: [], overran: false };
    const { template } = compiled;
    const unknown = [...template.variables].filter(([name]) => !known.has(name) && !globals.has(name));
    const unknownWarnings = unknown
      .slice(0, maxWarnings)
      .map(([name, offset]) => ({ offset, message: explainUnknown(name) }));
    const endMs = now() + checkWallClockMs;
    const samples = checkSamples({
      template,
      unknown: unknown.map(([name]) => name),
      leftMs: () => endMs - now(),
    });
    const warnings = distinct([...unknownWarnings, ...samples.suspicions])
      .slice(0, maxWarnings)
      .map(({ offset, message }) => ({ ...locate(template.source, offset), message }));
    return samples.error === undefined
      ? { ok: true, warnings }
      : { ok: false, errors: [samples.error], warnings, overran: samples.overran ?? false };
  };
}

/** The ten variables and the three objects. */
const known: ReadonlySet<string> = new Set([...alertVariables, 'alert', 'model', 'alert_rule']);

/** A possible warning with its index in the source. */
interface Suspicion {
  readonly offset: number;
  readonly message: string;
}

interface SampleResult {
  readonly error?: Finding;
  readonly overran?: boolean;
  readonly suspicions: readonly Suspicion[];
}

function explainUnknown(name: string): string {
  const suggestion = nearest(name, known);
  const hint = suggestion === undefined ? '' : ` Did you mean '${suggestion}'?`;
  return `there is no variable '${name}'; it prints nothing.${hint}`;
}

interface Sampling {
  template: InspectableTemplate;
  unknown: readonly string[];
  leftMs(): number;
}

function checkSamples({ template, unknown, leftMs }: Sampling): SampleResult {
  const suspicions: Suspicion[] = [];
  for (const facts of sampleAlerts) {
    const context = alertContext(facts);
    const probed = tryContext(template, probe(context, unknown), leftMs());
    if (probed.error === undefined) {
      suspicions.push(...probed.suspicions);
      continue;
    }
    const natural = unknown.length === 0 ? probed : tryContext(template, context, leftMs());
    if (natural.error !== undefined) return { ...natural, suspicions };
  }
  return { suspicions };
}

/** Defines unknown names as `0`, which is valid JSON both as a value and inside quotes. */
function probe(context: TemplateContext, unknown: readonly string[]): TemplateContext {
  if (unknown.length === 0) return context;
  return new Map<string, Value>([...context, ...unknown.map((name): [string, Value] => [name, 0n])]);
}

function tryContext(
  template: InspectableTemplate,
  context: TemplateContext,
  wallClockMs: number,
): SampleResult {
  const pieces: TracePiece[] = [];
  const result = template.trace(context, pieces, wallClockMs);
  if (!result.ok) {
    const { error } = result;
    return { error: findingOf(error), overran: error.kind === 'overrun', suspicions: [] };
  }
  const { source } = template;
  const scan = scanJson(result.output);
  if (scan.fault === null) return { suspicions: findSuspicious(source, pieces, scan) };
  const { offset, message } = explainFault(source, pieces, result.output, scan.fault);
  return { error: { ...locate(source, offset), message }, suspicions: [] };
}

function findSuspicious(source: string, pieces: readonly TracePiece[], scan: JsonScan): Suspicion[] {
  return [...findQuotedNumbers(source, pieces, scan), ...findDuplicateKeys(pieces, scan)];
}

/** Finds JSON strings that consist of one printed number. Each place is reported once, also inside a loop. */
function findQuotedNumbers(
  source: string,
  pieces: readonly TracePiece[],
  { strings }: JsonScan,
): Suspicion[] {
  const byStart = new Map(strings.map((string) => [string.start + 1, string]));
  const places = new Set<number>();
  for (const { start, end, offset, value } of pieces) {
    if (typeof value === 'number' && byStart.get(start)?.end === end + 1) places.add(offset);
    if (places.size === maxWarnings) break;
  }
  return [...places].map((offset) => ({
    offset: expressionStart(source, offset),
    message: `{{ ${expressionAt(source, offset)} }} is a number inside quotes, so the destination gets text; leave the quotes out if it expects a number.`,
  }));
}

function findDuplicateKeys(pieces: readonly TracePiece[], { duplicateKeys }: JsonScan): Suspicion[] {
  const found = duplicateKeys.slice(0, maxWarnings).map(({ key, offset }) => {
    const piece = pieces.find(({ start, end }) => start <= offset && offset < end);
    const isText = piece !== undefined && piece.value === undefined;
    const place = piece === undefined ? 0 : piece.offset + (isText ? offset - piece.start : 0);
    return {
      offset: place,
      message: `the key "${key}" appears twice in the same object; most destinations read only the last one.`,
    };
  });
  return distinct(found);
}

function findingOf({ line, column, message, excerpt }: TemplateError): Finding {
  return { line, column, message, excerpt };
}

function distinct(suspicions: readonly Suspicion[]): Suspicion[] {
  const byKey = new Map(
    suspicions.map((suspicion) => [`${suspicion.offset}:${suspicion.message}`, suspicion]),
  );
  return [...byKey.values()];
}

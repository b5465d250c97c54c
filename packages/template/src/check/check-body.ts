import { ALERT_VARIABLES, alertContext } from '../alert/alert-context.js';
import { SAMPLE_ALERTS } from '../alert/sample-facts.js';
import { BODY_OPTIONS } from '../body-options.js';
import {
  createTemplateCompiler,
  type InspectableTemplate,
  type TemplateContext,
} from '../compile-template.js';
import { createGlobals } from '../evaluator/globals.js';
import type { TracePiece } from '../evaluator/output.js';
import { nearest } from '../nearest.js';
import { locate, type TemplateError } from '../template-error.js';
import type { Value } from '../values/value.js';
import { explainFault, expressionAt, expressionStart } from './explain-fault.js';
import { type JsonScan, scanJson } from './json-scanner.js';

/** Something to tell the author of a body, at its place. */
export interface Finding {
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 1, in UTF-16 units. */
  readonly column: number;
  readonly message: string;
  /** The line, and below it a mark. */
  readonly excerpt: string;
}

export type BodyCheck =
  | { readonly ok: true; readonly warnings: readonly Finding[] }
  | { readonly ok: false; readonly errors: readonly Finding[]; readonly warnings: readonly Finding[] };

/**
 * Checks the body of a webhook: it must compile, and be JSON for every sample alert. Names that nobody knows are
 * probed as `0` and come back as warnings, as do numbers inside quotes and keys that stand twice.
 */
export function checkBody(source: string): BodyCheck {
  return createBodyChecker()(source);
}

/** Longer than at delivery: there an overrun is tried again, here it would refuse a body for a busy machine. */
const CHECK_WALL_CLOCK_MS = 1_000;

/** A checker that is made once and used often. */
export function createBodyChecker(): (source: string) => BodyCheck {
  const limits = { ...BODY_OPTIONS.limits, wallClockMs: CHECK_WALL_CLOCK_MS };
  const compile = createTemplateCompiler({ ...BODY_OPTIONS, limits });
  const globals = new Set(createGlobals().keys());
  return (source) => {
    const compiled = compile(source);
    if (!compiled.ok) return { ok: false, errors: [findingOf(compiled.error)], warnings: [] };
    const { template } = compiled;
    const unknown = [...template.variables].filter(([name]) => !KNOWN.has(name) && !globals.has(name));
    const unknownWarnings = unknown.map(([name, offset]) => warnUnknown(template.source, name, offset));
    const samples = checkSamples(
      template,
      unknown.map(([name]) => name),
    );
    const warnings = distinct([...unknownWarnings, ...samples.warnings]);
    return samples.error === undefined
      ? { ok: true, warnings }
      : { ok: false, errors: [samples.error], warnings };
  };
}

/** The objects stand beside the ten variables. */
const KNOWN: ReadonlySet<string> = new Set([...ALERT_VARIABLES, 'alert', 'model', 'alert_rule']);

function warnUnknown(source: string, name: string, offset: number): Finding {
  const suggestion = nearest(name, KNOWN);
  const hint = suggestion === undefined ? '' : ` Did you mean '${suggestion}'?`;
  return {
    ...locate(source, offset),
    message: `no variable is named '${name}'; it will print empty.${hint}`,
  };
}

function checkSamples(
  template: InspectableTemplate,
  unknown: readonly string[],
): { error?: Finding; warnings: Finding[] } {
  const warnings: Finding[] = [];
  for (const facts of SAMPLE_ALERTS) {
    const context = alertContext(facts);
    const probed = tryContext(template, probe(context, unknown));
    if (probed.error === undefined) {
      warnings.push(...probed.warnings);
      continue;
    }
    const natural = unknown.length === 0 ? probed : tryContext(template, context);
    if (natural.error !== undefined) return { error: natural.error, warnings };
  }
  return { warnings };
}

/** `0` is JSON wherever a value may stand, and text inside quotes. */
function probe(context: TemplateContext, unknown: readonly string[]): TemplateContext {
  if (unknown.length === 0) return context;
  return new Map<string, Value>([...context, ...unknown.map((name): [string, Value] => [name, 0n])]);
}

function tryContext(
  template: InspectableTemplate,
  context: TemplateContext,
): { error?: Finding; warnings: Finding[] } {
  const pieces: TracePiece[] = [];
  const result = template.trace(context, pieces);
  if (!result.ok) return { error: findingOf(result.error), warnings: [] };
  const { source } = template;
  const scan = scanJson(result.output);
  if (scan.fault === null) return { warnings: findSuspicious(source, pieces, scan) };
  const { offset, message } = explainFault(source, pieces, result.output, scan.fault);
  return { error: { ...locate(source, offset), message }, warnings: [] };
}

function findSuspicious(source: string, pieces: readonly TracePiece[], scan: JsonScan): Finding[] {
  return [...findQuotedNumbers(source, pieces, scan), ...findDuplicateKeys(source, pieces, scan)];
}

/** A string that is nothing but one printed number. */
function findQuotedNumbers(source: string, pieces: readonly TracePiece[], { strings }: JsonScan): Finding[] {
  const byStart = new Map(strings.map((string) => [string.start + 1, string]));
  const findings: Finding[] = [];
  for (const { start, end, offset, value } of pieces) {
    if (typeof value !== 'number' || byStart.get(start)?.end !== end + 1) continue;
    const expression = expressionAt(source, offset);
    findings.push({
      ...locate(source, expressionStart(source, offset)),
      message: `{{ ${expression} }} is a number inside quotes, so the destination gets text; leave the quotes out if it expects a number.`,
    });
  }
  return findings;
}

function findDuplicateKeys(source: string, pieces: readonly TracePiece[], scan: JsonScan): Finding[] {
  return scan.duplicateKeys.map(({ key, offset }) => {
    const piece = pieces.find(({ start, end }) => start <= offset && offset < end);
    const isText = piece !== undefined && piece.value === undefined;
    const place = piece === undefined ? 0 : piece.offset + (isText ? offset - piece.start : 0);
    return {
      ...locate(source, place),
      message: `the key "${key}" stands twice in the same object; most destinations see only the last.`,
    };
  });
}

function findingOf({ line, column, message, excerpt }: TemplateError): Finding {
  return { line, column, message, excerpt };
}

function distinct(findings: readonly Finding[]): Finding[] {
  const seen = new Map<string, Finding>();
  for (const finding of findings) {
    const key = `${finding.line}:${finding.column}:${finding.message}`;
    if (!seen.has(key)) seen.set(key, finding);
  }
  return [...seen.values()];
}

import { type AlertFacts, alertContext } from '../alert/alert-context.js';
import { sampleAlerts } from '../alert/sample-facts.js';
import { bodyOptions } from '../body-options.js';
import {
  createTemplateCompiler,
  type InspectableTemplate,
  type TemplateContext,
} from '../compile-template.js';
import { type Choose, chooseFirst, chooseLast } from '../evaluator/choose.js';
import type { TracePiece } from '../evaluator/runtime.js';
import { locate, offsetOf, type TemplateError } from '../template-error.js';
import { blameUnknownName, type Failure } from './blame-unknown-name.js';
import { explainFault, expressionAt, expressionStart } from './explain-fault.js';
import { type JsonScan, scanJson } from './json-scanner.js';
import { findReferences } from './name-references.js';
import { defineNames, explainUnknown, findUnknownNames, type UnknownName } from './unknown-names.js';

/** A message for the author of a body, with its position. */
export interface Finding {
  /** Line number, counted from 1. */
  readonly line: number;
  /** Column in UTF-16 units, counted from 1. */
  readonly column: number;
  readonly message: string;
  /** The source line, with a `^` below the column. */
  readonly excerpt: string;
}

export type BodyCheck =
  | { readonly ok: true; readonly warnings: readonly Finding[] }
  | {
      readonly ok: false;
      readonly errors: readonly Finding[];
      readonly warnings: readonly Finding[];
      /** True if the check exceeded its time limit. A repeated check can succeed when the machine is less busy. */
      readonly overran: boolean;
    };

/**
 * Checks the body of a webhook. It must compile, stay within the limits of a rendering, and render to JSON for each
 * sample alert. The result must be JSON both if the filter `random` chooses the first item of each list and if it
 * chooses the last. If an unknown name causes an error, the message of the error contains the name. At most 20 warnings
 * are returned. They report duplicate keys, floats in quotes, and unknown names that the body reads without the filter
 * `default` and never sets.
 */
export function checkBody(source: string): BodyCheck {
  return createBodyChecker()(source);
}

/** Time limit for all sample alerts. The check blocks the event loop this long at most. Usual bodies take 1 to 2 ms. */
const checkWallClockMs = 250;

/** Maximum number of warnings. It is limited because the line of each warning must be searched in the source. */
const maxWarnings = 20;

export interface BodyCheckerOptions {
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
  /** Alerts for which the body must be JSON, in the order in which they are checked. Default: `sampleAlerts`. */
  readonly samples?: readonly AlertFacts[];
}

/** Creates a function that checks bodies. Jinja2's filters, tests and globals are created once, for all bodies. */
export function createBodyChecker({
  now = () => performance.now(),
  samples = sampleAlerts,
}: BodyCheckerOptions = {}): (source: string) => BodyCheck {
  const compile = createTemplateCompiler({ ...bodyOptions, now });
  return (source) => {
    const compiled = compile(source);
    if (!compiled.ok) return { ok: false, errors: [findingOf(compiled.error)], warnings: [], overran: false };
    const { template } = compiled;
    const unknown = findUnknownNames(findReferences(template.body), maxWarnings);
    const endMs = now() + checkWallClockMs;
    const alerts = withBothBounds(samples, source);
    const { failure, warnings: sampleWarnings } = checkSamples({
      template,
      samples: alerts,
      unknown,
      leftMs: () => endMs - now(),
    });
    const findings = (list: readonly Warning[]) =>
      list.map(({ offset, message }) => ({ ...locate(template.source, offset), message }));
    const warnings = findings(distinct([...warningsOf(unknown), ...sampleWarnings]).slice(0, maxWarnings));
    if (failure === undefined) return { ok: true, warnings };
    return { ok: false, errors: findings([failure]), warnings, overran: failure.overran };
  };
}

/**
 * If the source contains the text `bound`, adds each sample again with the other value of `bound` (`upper_bound` or
 * `lower_bound`). Such a body usually has a branch for each value, and each branch must be JSON for all names and
 * numbers of the samples.
 */
function withBothBounds(samples: readonly AlertFacts[], source: string): readonly AlertFacts[] {
  if (!source.includes('bound')) return samples;
  return [
    ...samples,
    ...samples.map((facts) => ({ ...facts, bound: otherBound[facts.bound] ?? facts.bound })),
  ];
}

const otherBound: Readonly<Record<string, string>> = {
  upper_bound: 'lower_bound',
  lower_bound: 'upper_bound',
};

/** A warning, with the index in the source to which it refers. */
interface Warning {
  readonly offset: number;
  readonly message: string;
}

function warningsOf(unknown: readonly UnknownName[]): Warning[] {
  return unknown
    .filter(({ isSet }) => !isSet)
    .map((name) => ({ offset: name.uses[0]!.offset, message: explainUnknown(name, '; it prints nothing') }));
}

interface Sampling {
  template: InspectableTemplate;
  samples: readonly AlertFacts[];
  unknown: readonly UnknownName[];
  leftMs(): number;
}

/**
 * Renders the body for each sample alert, and stops at the first failure. If the filter `random` is used, the body is
 * rendered twice for each alert: in the first rendering `random` chooses the first item of each list, and in the second
 * rendering the last item.
 */
function checkSamples({ template, samples, unknown, leftMs }: Sampling): {
  failure?: Failure;
  warnings: readonly Warning[];
} {
  const warnings: Warning[] = [];
  for (const facts of samples) {
    const context = alertContext(facts);
    for (const choose of [chooseFirst, chooseLast]) {
      const render = (names: readonly UnknownName[]) =>
        renderSample(template, { context: defineNames(context, names), choose, leftMs });
      const rendered = renderSample(template, { context, choose, leftMs });
      if (rendered.failure !== undefined) {
        const failure = blameUnknownName({ failure: rendered.failure, unknown, render });
        return { failure, warnings };
      }
      warnings.push(...rendered.warnings);
      if (!rendered.chose) break;
    }
  }
  return { warnings };
}

interface Sample {
  context: TemplateContext;
  choose: Choose;
  leftMs(): number;
}

function renderSample(template: InspectableTemplate, { context, choose, leftMs }: Sample): Rendered {
  const { source } = template;
  const pieces: TracePiece[] = [];
  let chose = false;
  const result = template.trace(context, pieces, {
    wallClockMs: leftMs(),
    choose(count) {
      chose = true;
      return choose(count);
    },
  });
  if (!result.ok) return { failure: renderFailure(source, result.error) };
  const scan = scanJson(result.output);
  if (scan.fault === null) return { warnings: findWarnings(source, pieces, scan), chose };
  const explained = explainFault(source, pieces, result.output, scan.fault);
  return { failure: { ...explained, effect: 'the result is not JSON', overran: false } };
}

type Rendered =
  | { readonly failure: Failure }
  | {
      readonly failure?: undefined;
      readonly warnings: readonly Warning[];
      /** True if the filter `random` was used. */
      readonly chose: boolean;
    };

function renderFailure(source: string, error: TemplateError): Failure {
  const offset = offsetOf(source, error);
  const from = Math.max(source.lastIndexOf('{{', offset), source.lastIndexOf('{%', offset), 0);
  return {
    offset,
    message: error.message,
    from,
    to: offset,
    isPrinted: false,
    effect: 'the template fails',
    overran: error.kind === 'overrun',
  };
}

function findWarnings(source: string, pieces: readonly TracePiece[], scan: JsonScan): Warning[] {
  return [...findQuotedNumbers(source, pieces, scan), ...findDuplicateKeys(pieces, scan)];
}

/**
 * Finds JSON strings that consist of one printed float. Each place in the template is returned once, even if a loop
 * prints several floats there.
 */
function findQuotedNumbers(source: string, pieces: readonly TracePiece[], { strings }: JsonScan): Warning[] {
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

/**
 * Finds duplicate keys. `duplicateKeys` and `pieces` are in the order of the output. Each place in the template is
 * returned once, even if a loop prints several duplicate keys there.
 */
function findDuplicateKeys(pieces: readonly TracePiece[], { duplicateKeys }: JsonScan): Warning[] {
  const found = new Map<string, Warning>();
  let index = 0;
  for (const { key, offset } of duplicateKeys) {
    while (pieces[index]!.end <= offset) index += 1;
    const piece = pieces[index]!;
    const place = piece.offset + (piece.value === undefined ? offset - piece.start : 0);
    found.set(`${place}:${key}`, {
      offset: place,
      message: `the key "${key}" appears twice in the same object; most destinations read only the last one.`,
    });
    if (found.size === maxWarnings) break;
  }
  return [...found.values()];
}

function findingOf({ line, column, message, excerpt }: TemplateError): Finding {
  return { line, column, message, excerpt };
}

function distinct(warnings: readonly Warning[]): Warning[] {
  const byKey = new Map(warnings.map((warning) => [`${warning.offset}:${warning.message}`, warning]));
  return [...byKey.values()];
}

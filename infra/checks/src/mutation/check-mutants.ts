/** The members of a mutation report (mutation-testing-report-schema) that are checked. */
export interface MutationReport {
  files: Record<string, { source: string; mutants: Mutant[] }>;
}

export interface Mutant {
  mutatorName: string;
  replacement?: string | undefined;
  status: string;
  /** Lines and columns start at 1. */
  location: { start: Position; end: Position };
}

interface Position {
  line: number;
  column: number;
}

/**
 * Surviving mutants that are accepted for a reason: they behave like the original, or no unit test can observe them.
 */
export interface AcceptedSurvivors {
  file: string;
  /** Piece of the source text. The mutants that start in this text are accepted. */
  code: string;
  reason: string;
}

export interface FileScore {
  file: string;
  killed: number;
  /** Number of killed and surviving mutants. Others, for example mutants with a runtime error, do not count. */
  total: number;
}

export interface CheckedMutants {
  scores: FileScore[];
  all: Omit<FileScore, 'file'>;
  problems: string[];
}

const requiredPercent = { overall: 90, eachFile: 80 };
const killedStatuses = ['Killed', 'Timeout'];
const survivingStatuses = ['Survived', 'NoCoverage'];

/** Compares a report with the required scores and the accepted survivors. An accepted survivor counts as not killed. */
export function checkMutants(report: MutationReport, accepted: AcceptedSurvivors[]): CheckedMutants {
  const scores = Object.entries(report.files).map(([file, { mutants }]) => scoreOf(file, mutants));
  const all = { killed: sum(scores, 'killed'), total: sum(scores, 'total') };
  const problems = scores
    .filter((score) => percentOf(score) < requiredPercent.eachFile)
    .map(
      (score) => `${score.file}: ${percentOf(score)} %, at least ${requiredPercent.eachFile} % are required`,
    );
  if (percentOf(all) < requiredPercent.overall)
    problems.push(`All files: ${percentOf(all)} %, at least ${requiredPercent.overall} % are required`);
  for (const [file, { source, mutants }] of Object.entries(report.files)) {
    const survivors = mutants.filter(({ status }) => survivingStatuses.includes(status));
    const entries = accepted.filter((entry) => entry.file === file);
    problems.push(
      ...survivors
        .filter((mutant) => !entries.some((entry) => covers(entry, mutant, source)))
        .map((mutant) => `${file}:${describe(mutant, source)}`),
      ...entries
        .filter((entry) => !survivors.some((mutant) => covers(entry, mutant, source)))
        .map(({ code }) => `${file}: no mutant of "${code}" survives; remove it from the accepted ones`),
    );
  }
  return { scores, all, problems };
}

export function percentOf({ killed, total }: Omit<FileScore, 'file'>): number {
  return total === 0 ? 100 : Math.floor((1_000 * killed) / total) / 10;
}

function scoreOf(file: string, mutants: Mutant[]): FileScore {
  const count = (statuses: string[]) => mutants.filter(({ status }) => statuses.includes(status)).length;
  const killed = count(killedStatuses);
  return { file, killed, total: killed + count(survivingStatuses) };
}

function sum(scores: FileScore[], field: 'killed' | 'total'): number {
  return scores.reduce((total, score) => total + score[field], 0);
}

function covers({ code }: AcceptedSurvivors, { location }: Mutant, source: string): boolean {
  const offset = offsetOf(location.start, source);
  for (let start = source.indexOf(code); start !== -1; start = source.indexOf(code, start + 1))
    if (offset >= start && offset < start + code.length) return true;
  return false;
}

function offsetOf({ line, column }: Position, source: string): number {
  const linesBefore = source.split('\n').slice(0, line - 1);
  return linesBefore.reduce((length, text) => length + text.length + 1, column - 1);
}

const shownCharacters = 60;

function describe({ location, mutatorName, replacement = '' }: Mutant, source: string): string {
  const { start, end } = location;
  const original = source.slice(offsetOf(start, source), offsetOf(end, source));
  const [before, after] = [original, replacement].map((text) => shorten(text.replace(/\s+/g, ' ')));
  return `${start.line}:${start.column} ${mutatorName} survives: ${before} → ${after}`;
}

function shorten(text: string): string {
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
}

import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** A deliberate defect in an SQL statement or in its parameters. At least one database test must fail with it. */
export interface StatementMutation {
  /** Name in the output: it consists of the file name, the replaced text and the replacement. */
  name: string;
  file: string;
  /** The text to replace. It must occur exactly once in the file. */
  piece: string;
  replacement: string;
  /** Test files. At least one of them must fail with the mutation. */
  tests: string[];
}

/** All mutations of one source file. Each file in `infra/checks/statement-mutations` is a list of such entries. */
interface MutatedFile {
  file: string;
  tests: string[];
  /** Texts in the source file, each with one or several replacements. Each replacement is a separate mutation. */
  changes: Record<string, string | string[]>;
}

/** Environment variable with the name of the mutation to apply. Without the variable, no file is changed. */
export const mutationVariable = 'TOCSIN_STATEMENT_MUTATION';

const folder = new URL('../../statement-mutations/', import.meta.url);

export const statementMutations: StatementMutation[] = readdirSync(folder)
  .flatMap((name) => parse(readFileSync(new URL(name, folder), 'utf8')) as MutatedFile[])
  .flatMap(mutationsOf);

function mutationsOf({ file, tests, changes }: MutatedFile): StatementMutation[] {
  return Object.entries(changes).flatMap(([piece, replacements]) =>
    [replacements].flat().map((replacement) => ({
      name: `${file.split('/').at(-1)}: ${onOneLine(piece)} → ${onOneLine(replacement) || 'nothing'}`,
      file,
      piece,
      replacement,
      tests,
    })),
  );
}

function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

import { apiStatements } from './statements/api-statements.js';
import { packageStatements } from './statements/package-statements.js';
import { webhookStatements } from './statements/webhook-statements.js';
import { workerStatements } from './statements/worker-statements.js';

/** A deliberate defect in an SQL statement or in its parameters. At least one database test must fail with it. */
export interface StatementMutation {
  /** File name, replaced text and replacement, for the output. */
  name: string;
  file: string;
  /** The text to replace. It must occur exactly once in the file. */
  piece: string;
  replacement: string;
  /** Test files. At least one of them must fail. */
  tests: string[];
}

/** Environment variable with the name of the mutation to apply. Without the variable, no file is changed. */
export const mutationVariable = 'TOCSIN_STATEMENT_MUTATION';

const files = [...workerStatements, ...packageStatements, ...apiStatements, ...webhookStatements];

export const statementMutations: StatementMutation[] = files.flatMap(({ file, tests, changes }) =>
  changes.map(([piece, replacement]) => ({
    name: `${file.split('/').at(-1)}: ${onOneLine(piece)} → ${onOneLine(replacement) || 'nothing'}`,
    file,
    piece,
    replacement,
    tests,
  })),
);

function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

export interface SentenceProblem {
  path: string;
  line: number;
  problem: string;
}

const maxTitleLength = 90;
const starts = 'What|Who|Whoever|Whether|Of|As|The same';
const startOfSentence = new RegExp(`(?:^|[.!?] )(${starts}) `);
const startOfTitle = new RegExp(`^(${starts}) `, 'i');

/**
 * Finds sentences in comments and Markdown that do not start with their subject, and test titles that are too long or
 * do not start with their subject. Headings, tables and quotations in Markdown are exempt.
 */
export function findSentenceProblems(path: string, text: string): SentenceProblem[] {
  return text.split('\n').flatMap((line, index, lines) => {
    const problem = problemOf(path, line, lines[index - 1]);
    return problem === undefined ? [] : [{ path, line: index + 1, problem }];
  });
}

function problemOf(path: string, line: string, previous = ''): string | undefined {
  const prose = path.endsWith('.md') ? proseOfMarkdown(line) : isCode(path) ? commentOf(line) : undefined;
  const [, word] = startOfSentence.exec(prose ?? '') ?? [];
  if (word !== undefined) return `a sentence starts with "${word}"; start with its subject`;
  if (!path.endsWith('.test.ts')) return undefined;
  const title = titleIn(line, previous) ?? '';
  if (title.length > maxTitleLength)
    return `a test title has ${title.length} characters, more than ${maxTitleLength}`;
  const [, first] = startOfTitle.exec(title) ?? [];
  return first === undefined ? undefined : `a test title starts with "${first}"; start with its subject`;
}

const startOfTest = String.raw`(?:\b(?:test|it|describe)(?:\.\w+(?:\(.*\))?)?|^\]\))\(`;
const quoted = String.raw`(['"\`])((?:[^\\]|\\.)*?)\1`;
const titleAfterStart = new RegExp(startOfTest + quoted);
const startAtEnd = new RegExp(`${startOfTest}$`);
const titleAlone = new RegExp(`^\\s*${quoted},$`);

/**
 * Returns the title of a test or of a group of tests. The title is in the line that calls `test` or `describe`, or in
 * the next line.
 */
function titleIn(line: string, previous: string): string | undefined {
  return (titleAfterStart.exec(line) ?? (startAtEnd.test(previous) ? titleAlone.exec(line) : null))?.[2];
}

function isCode(path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path);
}

/** Returns the text of a comment on a separate line or after code. */
function commentOf(line: string): string | undefined {
  return /^\s*(?:\/\*\*?|\*(?!\/)|\/\/)\s+(.*)$/.exec(line)?.[1] ?? /[;,{)]\s+\/\/ (.*)$/.exec(line)?.[1];
}

function proseOfMarkdown(line: string): string | undefined {
  return /^\s*[#|>]/.test(line) ? undefined : line.replace(/^\s*(?:[-*]|\d+[.])\s+/, '').replace(/^\*\*/, '');
}

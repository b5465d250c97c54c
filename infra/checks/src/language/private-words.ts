export interface WordList {
  /** Standard word for each pattern that is searched in the whole text and in the path of the file. */
  everywhere: Record<string, string>;
  /** Standard word for each pattern that is searched only in identifiers and in paths of code files. */
  identifiers: Record<string, string>;
  /**
   * Exceptions. `path` is a file or folder in which `word` is allowed. `word` is one of the patterns above. The value
   * `everywhere` allows all patterns of both lists.
   */
  allowed: { path: string; word: string; reason: string }[];
}

/** A place in a file with a private word: a word that only this project uses, for a thing that has a standard name. */
export interface PrivateWord {
  path: string;
  /** Line number, counted from 1, or 0 if the private word is in the path of the file. */
  line: number;
  found: string;
  pattern: string;
  /** The standard word that must replace the private word. */
  instead: string;
}

/** Returns a function that finds private words in the path and the text of a file. */
export function createWordCheck(list: WordList): (path: string, text: string) => PrivateWord[] {
  const everywhere = matcherOf(list.everywhere);
  const identifiers = matcherOf(list.identifiers);
  const isAllowed = ({ path, pattern }: PrivateWord) =>
    list.allowed.some(
      (entry) =>
        (path === entry.path || path.startsWith(`${entry.path}/`)) &&
        (entry.word === 'everywhere' || entry.word === pattern),
    );

  return (path, text) => {
    const name = toWords(path);
    const fromName = [
      ...everywhere(name, name.length),
      ...(isCode(path) ? identifiers(name, name.length) : []),
    ];
    const lines = text.split('\n');
    const words = lines.map((line) => toWords(line));
    const codeWords = isCode(path) ? withoutCommentsAndTexts(text).map(toWords) : [];
    const found = lines.flatMap((_, index) => {
      const current = words[index] ?? '';
      // The next line is appended, because a term of several words can be split between two lines.
      const matches = everywhere(`${current} ${withoutLeader(words[index + 1] ?? '')}`, current.length);
      const code = codeWords[index] ?? '';
      return [...matches, ...identifiers(code, code.length)].map((match) => ({ ...match, line: index + 1 }));
    });
    const all = [...fromName.map((match) => ({ ...match, line: 0 })), ...found];
    return all.map((match) => ({ path, ...match })).filter((word) => !isAllowed(word));
  };
}

type Match = Pick<PrivateWord, 'found' | 'pattern' | 'instead'>;

/** Returns a function that finds `words` in a text. It ignores matches that start at the index `end` or later. */
function matcherOf(words: Record<string, string>): (text: string, end: number) => Match[] {
  const patterns = Object.entries(words).map(([pattern, instead]) => ({ pattern, instead }));
  if (patterns.length === 0) return () => [];
  const any = new RegExp(`(?<![a-z])(?:${patterns.map(({ pattern }) => pattern).join('|')})(?![a-z])`, 'g');
  const exact = patterns.map((entry) => ({ ...entry, regExp: new RegExp(`^(?:${entry.pattern})$`) }));
  return (text, end) =>
    [...text.matchAll(any)]
      .filter(({ index }) => index < end)
      .flatMap(([found]) => {
        const entry = exact.find(({ regExp }) => regExp.test(found));
        return entry ? [{ found, pattern: entry.pattern, instead: entry.instead }] : [];
      });
}

/** Splits an identifier into words: `readInHand` and `READ_IN-HAND` become `read in hand`. */
function toWords(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_.\-\s]+/g, ' ')
    .toLowerCase();
}

function withoutLeader(words: string): string {
  return words.replace(/^ ?(?:\*|\/\/|#|>)? ?/, '');
}

function isCode(path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path);
}

/** Returns the lines of a program without comments and string literals. Regular expressions are kept. */
function withoutCommentsAndTexts(text: string): string[] {
  const token = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/g;
  return text.replace(token, (match) => match.replace(/[^\n]/g, ' ')).split('\n');
}

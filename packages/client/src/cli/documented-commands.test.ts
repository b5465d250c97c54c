import { readdirSync, readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { systemClock } from '../clock.js';
import { createProgram } from './program.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const documents = [
  'README.md',
  'packages/client/README.md',
  ...readdirSync(`${root}docs`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

const program = createProgram({
  clock: systemClock,
  env: {},
  stdin: new PassThrough(),
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  signal: new AbortController().signal,
});

/** A line that runs the command `tocsin`. Assignments of environment variables can precede it. */
const commandLine = /^\s*(?:[A-Z_]+=\S+ )*(?:npm run -s tocsin --|npx tocsin|tocsin) ([^#|>;]+)/;
/** Options that commander adds to commands. */
const commonOptions = ['--help', '--version'];

/** Returns the words of each `tocsin` command in the shell blocks of a document. */
function typedCommands(text: string): string[][] {
  const blocks = [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].map(([, block = '']) => block);
  return blocks
    .flatMap((block) => block.replaceAll(/\\\n\s*/g, '').split('\n'))
    .flatMap((line) => commandLine.exec(line)?.[1] ?? [])
    .map(splitWords);
}

/** Returns the words of each `tocsin` command in the sentences of a document, where arguments can be missing. */
function mentionedCommands(text: string): string[][] {
  return [...text.matchAll(/`tocsin ([a-z][^`]*)`/g)].map(([, words = '']) => splitWords(words));
}

function splitWords(text: string): string[] {
  return text.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
}

/** Describes the first error in the words of a command, or returns undefined if there is none. */
function faultOf(words: readonly string[], { isComplete }: { isComplete: boolean }): string | undefined {
  let command: Command = program;
  let given = 0;
  const options = new Set<string>();
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]!;
    const [flag = ''] = word.split('=');
    const option = command.options.find(({ long, short }) => flag === long || flag === short);
    if (option !== undefined) {
      options.add(option.name());
      const hasValue = (option.required || option.optional) && !word.includes('=');
      if (hasValue) index += 1;
      if (hasValue && option.required && isComplete && words[index] === undefined)
        return `${word} needs a value`;
    } else if (commonOptions.includes(word)) return undefined;
    else if (word.startsWith('-')) return `${command.name()} has no option ${word}`;
    else if (command.commands.length > 0) {
      const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
      if (next === undefined) return `${command.name()} has no command ${word}`;
      command = next;
    } else given += 1;
  }
  const expected = command.registeredArguments;
  const isVariadic = expected.at(-1)?.variadic === true;
  if (given > expected.length && !isVariadic) return `${command.name()} has fewer arguments`;
  if (!isComplete) return undefined;
  if (command.commands.length > 0) return `${command.name()} needs a command`;
  if (given < expected.filter(({ required }) => required).length)
    return `${command.name()} needs an argument`;
  const missing = command.options.find((option) => option.mandatory && !options.has(option.name()));
  return missing && `${command.name()} needs ${missing.long}`;
}

test.each(documents)('tocsin has every command and option that the document %s names', (document) => {
  const text = readFileSync(`${root}${document}`, 'utf8');
  for (const words of typedCommands(text))
    expect([words, faultOf(words, { isComplete: true })]).toEqual([words, undefined]);
  for (const words of mentionedCommands(text))
    expect([words, faultOf(words, { isComplete: false })]).toEqual([words, undefined]);
});

test.each([
  ['an unknown command', ['webhooks', 'enumerate'], 'webhooks has no command enumerate'],
  ['an unknown option', ['webhooks', 'list', '--colour'], 'list has no option --colour'],
  ['a missing argument', ['webhooks', 'get'], 'get needs an argument'],
  ['a missing command', ['webhooks'], 'webhooks needs a command'],
])('the check of the commands in documents reports %s', (_, words, fault) => {
  expect(faultOf(words, { isComplete: true })).toBe(fault);
});

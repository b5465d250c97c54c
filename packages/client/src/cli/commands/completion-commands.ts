import { Argument, type Command } from 'commander';
import { withExamples } from '../action.js';
import { completionScripts, completionsOf, shells } from '../completion.js';
import type { Io } from '../io.js';

export function addCompletionCommands(program: Command, { stdout }: Io): void {
  const completion = program
    .command('completion')
    .description('print the completion script for a shell')
    .addArgument(new Argument('<shell>').choices([...shells]))
    .action((shell: (typeof shells)[number]) => {
      stdout.write(`${completionScripts[shell]}\n`);
    });
  withExamples(completion, [
    'source <(tocsin completion bash)',
    'tocsin completion fish > ~/.config/fish/completions/tocsin.fish',
  ]);

  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .action((words: string[]) => {
      for (const candidate of completionsOf(program, words)) stdout.write(`${candidate}\n`);
    });
}

import type { Command, Option } from 'commander';

/** Returns the completions of the last word. `words` are the words after `tocsin` on the command line. */
export function completionsOf(program: Command, words: string[]): string[] {
  const partial = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const command = before.reduce((found, word) => subcommandOf(found, word) ?? found, program);
  const chosen = optionOf(command, before.at(-1));
  const candidates =
    chosen?.required === true
      ? (chosen.argChoices ?? [])
      : partial.startsWith('-')
        ? visibleOptions(command)
        : visibleSubcommands(command);
  return candidates.filter((candidate) => candidate.startsWith(partial));
}

function subcommandOf(command: Command, word: string): Command | undefined {
  return command.commands.find((candidate) => candidate.name() === word);
}

function optionOf(command: Command, word: string | undefined): Option | undefined {
  return command.options.find(({ long, short }) => word !== undefined && (word === long || word === short));
}

function visibleOptions(command: Command): string[] {
  return [...command.options.filter(({ hidden }) => !hidden).flatMap(({ long }) => long ?? []), '--help'];
}

function visibleSubcommands(command: Command): string[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((candidate) => candidate.name());
}

export const shells = ['bash', 'zsh', 'fish'] as const;

/** Completion scripts by shell. They call `tocsin __complete`, so they need not contain the names of commands. */
export const completionScripts: Readonly<Record<(typeof shells)[number], string>> = {
  bash: `_tocsin() {
  local IFS=$'\\n'
  COMPREPLY=($(tocsin __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _tocsin tocsin`,
  zsh: `#compdef tocsin
_tocsin() {
  local -a found
  found=(\${(f)"$(tocsin __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( \${#found} )); then compadd -a found; else _files; fi
}
compdef _tocsin tocsin`,
  fish: `complete -c tocsin -a '(tocsin __complete -- (commandline -opc)[2..] (commandline -ct))'`,
};

/** One stage of a Dockerfile: its base image and its instructions in order. */
export interface Stage {
  name: string;
  from: string;
  steps: Step[];
}

export type Step =
  | { kind: 'workdir'; path: string }
  | { kind: 'env'; values: Record<string, string> }
  | { kind: 'copy'; from: string | undefined; sources: string[]; target: string }
  | { kind: 'run'; command: string }
  | { kind: 'user'; name: string }
  | { kind: 'shell' | 'entrypoint' | 'cmd' | 'healthcheck'; words: string[] };

/**
 * Parses the instructions that our Dockerfile uses. Skips ARG, EXPOSE and STOPSIGNAL, which the checks do not need.
 * @throws Error for any other instruction, because the checks would ignore its effect
 */
export function parseDockerfile(text: string): Stage[] {
  const stages: Stage[] = [];
  for (const line of instructions(text)) {
    const [, word = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    if (word === 'ARG' || word === 'EXPOSE' || word === 'STOPSIGNAL') continue;
    if (word === 'FROM') {
      const [from = '', , name = `stage ${stages.length}`] = rest.split(/\s+/);
      stages.push({ from, name, steps: [] });
    } else stages.at(-1)?.steps.push(parseStep(word, rest));
  }
  return stages;
}

function instructions(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

function parseStep(word: string, rest: string): Step {
  switch (word) {
    case 'WORKDIR':
      return { kind: 'workdir', path: rest };
    case 'ENV':
      return { kind: 'env', values: Object.fromEntries(rest.split(/\s+/).map(splitPair)) };
    case 'COPY': {
      const words = rest.split(/\s+/);
      const from = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined;
      const target = words.pop() ?? '';
      return { kind: 'copy', from, sources: words, target };
    }
    case 'RUN':
      return { kind: 'run', command: rest };
    case 'USER':
      return { kind: 'user', name: rest };
    case 'SHELL':
      return { kind: 'shell', words: JSON.parse(rest) as string[] };
    case 'ENTRYPOINT':
    case 'CMD':
      return { kind: word === 'CMD' ? 'cmd' : 'entrypoint', words: JSON.parse(rest) as string[] };
    case 'HEALTHCHECK':
      return { kind: 'healthcheck', words: JSON.parse(rest.slice(rest.indexOf('['))) as string[] };
    default:
      throw new Error(`The Dockerfile uses ${word}, which the image check does not know.`);
  }
}

function splitPair(pair: string): [string, string] {
  const at = pair.indexOf('=');
  return [pair.slice(0, at), pair.slice(at + 1)];
}

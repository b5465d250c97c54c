import { createBodyCompiler, type TemplateError } from '@tocsin/template';
import type { Command } from 'commander';
import { type Context, runs, withExamples } from '../action.js';
import { CommandFailure, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import { nameOf, readJsonObject, readText } from '../read-input.js';
import { renderContext } from '../render-context.js';

interface RenderFlags {
  context?: string;
}

export function addRenderCommand(program: Command, io: Io): void {
  const render = program
    .command('render')
    .argument('<file>', 'a body template; "-" is standard input')
    .description('render a template here, without a server, as a webhook’s body would be')
    .option(
      '--context <file>',
      'JSON: an alert, or values by name; put over sample values ("-": standard input)',
    );
  runs<RenderFlags>(render, io, renderFile);
  withExamples(render, [
    'tocsin render body.j2 --context alert.json',
    'echo \'{"text": "{{ model_name }}: {{ metric_value | round(2) }}"}\' | tocsin render -',
  ]);
}

async function renderFile({ args: [file = ''], options, io, out }: Context<RenderFlags>): Promise<void> {
  if (file === '-' && options.context === '-') {
    throw new CommandFailure(exitCodes.usage, 'Only one of template and context can be standard input.');
  }
  const source = await readText(file, io);
  const given = options.context === undefined ? {} : await readJsonObject(options.context, io);
  const compiled = createBodyCompiler()(source);
  const result = compiled.ok ? compiled.template.render(renderContext(given)) : compiled;
  if (!result.ok) {
    const { type, message, line, column } = result.error;
    out.value({ rendered: null, error: { type, message, line, column } }, () => {});
    throw new CommandFailure(exitCodes.failed, describe(result.error, nameOf(file)));
  }
  const fault = jsonFault(result.output);
  out.value({ rendered: result.output, error: fault ?? null }, () => out.line(result.output));
  if (fault !== undefined)
    throw new CommandFailure(exitCodes.failed, `The result is not JSON: ${fault.message}`);
}

/** `body.j2:3:14: TemplateSyntaxError: …` as compilers write it, with the line and a mark below it. */
function describe({ type, message, line, column, excerpt }: TemplateError, file: string): string {
  return `${file}:${line}:${column}: ${type}: ${message}\n${excerpt}`;
}

function jsonFault(text: string): { type: string; message: string } | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return { type: 'invalid_json', message: (error as Error).message };
  }
}

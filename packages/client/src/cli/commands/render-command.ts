import { checkBody, createBodyCompiler, findJsonFault, type TemplateError } from '@tocsin/template';
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
    .description('render a webhook body on this machine, without a server')
    .option(
      '--context <file>',
      'JSON: an alert, or values by name, which replace sample values; "-" is standard input',
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
  const variables = renderContext(given);
  const seed = String(variables.get('alert_id'));
  const result = compiled.ok ? compiled.template.render(variables, seed) : compiled;
  if (!result.ok) {
    out.value({ rendered: null, error: errorOf(result.error) }, () => {});
    throw new CommandFailure(exitCodes.failed, describe(result.error, nameOf(file)));
  }
  for (const { line, column, message } of checkBody(source).warnings)
    out.note(`${nameOf(file)}:${line}:${column}: warning: ${message}`);
  const fault = findJsonFault(result.output);
  out.value(
    {
      rendered: result.output,
      error: fault === undefined ? null : errorOf({ type: 'invalid_json', ...fault }),
    },
    () => out.line(result.output),
  );
  if (fault === undefined) return;
  const { message, line, column, excerpt } = fault;
  const place = `line ${line}, column ${column}`;
  throw new CommandFailure(exitCodes.failed, `The result is not JSON: ${place}: ${message}\n${excerpt}`);
}

function errorOf({
  type,
  message,
  line,
  column,
}: {
  type: string;
  message: string;
  line: number;
  column: number;
}) {
  return { type, message, line, column };
}

/** Formats an error like a compiler: `body.j2:3:14: TemplateSyntaxError: …`, then the line with a marker below. */
function describe({ type, message, line, column, excerpt }: TemplateError, file: string): string {
  return `${file}:${line}:${column}: ${type}: ${message}\n${excerpt}`;
}

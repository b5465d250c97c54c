import type { Command } from 'commander';
import type { SavedTestResult, TestResult } from '../../api/schemas.js';
import { runsInWorkspace, runsOnPlatform, withExamples } from '../action.js';
import { requireWorkspace } from '../connect.js';
import { CommandFailure, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import type { Output } from '../output.js';
import { parseHeader } from '../parse-values.js';
import { readJsonObject, readText } from '../read-input.js';

/** Adds the commands `webhooks test` and `webhooks preview`. */
export function addWebhookTestCommands(webhooks: Command, io: Io): void {
  const test = webhooks
    .command('test')
    .argument('[id]', 'id of a saved webhook; without it, --url is tested')
    .description('send one real request and show the response of the destination')
    .option('--context <file>', 'JSON with values for the template of a saved webhook; "-" is standard input')
    .option('--alert <id>', 'a past alert whose values the template of a saved webhook gets')
    .option('--url <url>', 'url of the destination')
    .option('--header <"Name: value">', 'a header of the request; repeatable', parseHeader)
    .option('--body <text>', 'body of the request, which is not rendered')
    .option(
      '--body-file <file>',
      'file with the body of the request, which is not rendered; "-" is standard input',
    );
  runsOnPlatform<TestFlags>(test, io, async ({ platform, args: [id], options, settings, out, signal }) => {
    if ((id === undefined) === (options.url === undefined)) {
      throw new CommandFailure(exitCodes.usage, 'Give either the id of a webhook or a --url.');
    }
    rejectUnusedFlags(options);
    out.progress('Sending…');
    if (id !== undefined) {
      const { context: file, alert: alert_id } = options;
      const context = file === undefined ? undefined : await readJsonObject(file, io);
      const request = { alert_id, context };
      return showResult(await platform.webhooks.testSaved(id, request, { signal }), out);
    }
    requireWorkspace(settings);
    const { url = '', header: headers = {}, body = '', bodyFile } = options;
    const sent = bodyFile === undefined ? body : await readText(bodyFile, io);
    showResult(await platform.webhooks.test({ url, headers, body: sent }, { signal }), out);
  });
  withExamples(test, [
    'tocsin webhooks test ID',
    'tocsin webhooks test ID --alert ALERT_ID',
    `tocsin webhooks test --url https://chat.example.com/hook --body '{"text": "hello"}'`,
  ]);

  const preview = webhooks
    .command('preview')
    .argument('<file>', 'a body template; "-" is standard input')
    .description('render a template on the server with sample values, without sending it')
    .option('--context <file>', 'JSON with values that replace sample values');
  runsInWorkspace<{ context?: string }>(
    preview,
    io,
    async ({ platform, args: [file = ''], options, out, signal }) => {
      const context = options.context === undefined ? undefined : await readJsonObject(options.context, io);
      const result = await platform.webhooks.preview({ body: await readText(file, io), context }, { signal });
      out.value(result, () => {
        if (result.rendered !== null) out.line(result.rendered);
      });
      for (const warning of result.warnings) out.note(`warning: ${warning}`);
      if (result.error !== null) throw new CommandFailure(exitCodes.failed, result.error);
    },
  );
  withExamples(preview, [
    'tocsin webhooks preview body.j2',
    'cat body.j2 | tocsin webhooks preview - --context alert.json',
  ]);
}

interface TestFlags {
  alert?: string;
  context?: string;
  url?: string;
  header?: Record<string, string[]>;
  body?: string;
  bodyFile?: string;
}

/** @throws CommandFailure if the command line has a flag that would have no effect */
function rejectUnusedFlags({ url, header, body, bodyFile, context, alert }: TestFlags): void {
  if (url === undefined && (header ?? body ?? bodyFile) !== undefined)
    throw new CommandFailure(
      exitCodes.usage,
      '--header, --body and --body-file need --url: a saved webhook is tested with its own headers and body.',
    );
  if (url !== undefined && (context ?? alert) !== undefined)
    throw new CommandFailure(
      exitCodes.usage,
      '--context and --alert need the id of a webhook: the body for --url is not rendered.',
    );
}

function showResult(result: TestResult | SavedTestResult, out: Output): void {
  out.progress(undefined);
  out.value(result, () =>
    out.facts({
      result: result.success ? { text: 'succeeded', color: 'green' } : { text: 'failed', color: 'red' },
      status: result.response?.status_code,
      error: result.error,
      'likely cause': result.likely_cause,
      duration: `${result.duration_ms} ms`,
      response: result.response?.response,
      sent: 'rendered' in result ? result.rendered : undefined,
    }),
  );
  if (!result.success) throw new CommandFailure(exitCodes.failed, 'The test failed.');
}

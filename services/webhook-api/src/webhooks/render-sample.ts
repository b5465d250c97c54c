import type { Preview } from '@tocsin/contracts';
import { bodySizeProblem, refuseFaults, type WebhookChecks } from './check-webhook.js';

/** What previews and tests of a saved webhook ask of the template package. */
export interface SampleRenderer {
  /** Renders with the sample values of the ten variables and `context` over them, and checks that it is JSON. */
  render(body: string, context: Readonly<Record<string, unknown>>): SampleRendering;
}

type SampleRendering =
  | { ok: true; rendered: string }
  /** `rendered` is what came out although it is not JSON. */
  | { ok: false; code: string; message: string; rendered: string | null };

/** `code: sentence`, as every error that stands in an answer of 200. */
export function renderSample(
  body: string,
  context: Readonly<Record<string, unknown>> | undefined,
  renderer: SampleRenderer,
): Pick<Preview, 'rendered' | 'error'> {
  const rendering = renderer.render(body, context ?? {});
  if (rendering.ok) return { rendered: rendering.rendered, error: null };
  return { rendered: rendering.rendered, error: `${rendering.code}: ${rendering.message}` };
}

/**
 * A template that is not saved, rendered and with the warnings that saving it would give.
 * @throws AppError `validation_failed` where it is too long to be saved
 */
export function previewTemplate(
  body: string,
  context: Readonly<Record<string, unknown>> | undefined,
  { checks, renderer }: { checks: WebhookChecks; renderer: SampleRenderer },
): Preview {
  const size = bodySizeProblem(body);
  if (size !== undefined) refuseFaults([{ path: '/body', message: size }]);
  return { ...renderSample(body, context, renderer), warnings: checks.checkTemplate(body).warnings };
}

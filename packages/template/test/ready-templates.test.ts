import { readFileSync } from 'node:fs';
import { alertContext } from '../src/alert/alert-context.js';
import { sampleAlerts } from '../src/alert/sample-facts.js';
import { createBodyCompiler } from '../src/index.js';

const compile = createBodyCompiler();

/** Renders a template of docs/templates for each sample alert. */
function renderAll(name: string) {
  const source = readFileSync(new URL(`../../../docs/templates/${name}`, import.meta.url), 'utf8');
  const compiled = compile(source);
  if (!compiled.ok) throw new Error(compiled.error.message);
  return sampleAlerts.map((facts) => {
    const rendered = compiled.template.render(alertContext(facts));
    if (!rendered.ok) throw new Error(rendered.error.message);
    return { facts, body: JSON.parse(rendered.output) };
  });
}

test('the chat template renders a header and markdown sections for every sample alert', () => {
  for (const { facts, body } of renderAll('chat-service.json.j2')) {
    const [header, fields, text] = body.blocks;
    expect(header).toEqual({
      type: 'header',
      text: { type: 'plain_text', text: `${facts.alert_rule_name} fired` },
    });
    expect(fields.type).toBe('section');
    expect(fields.fields.map((field: { type: string }) => field.type)).toEqual(Array(4).fill('mrkdwn'));
    expect(fields.fields[0].text).toBe(`*Model*\n${facts.model_name}`);
    expect(text.text.type).toBe('mrkdwn');
  }
});

test('the cloud issue template renders a structured document as description', () => {
  for (const { facts, body } of renderAll('issue-tracker-cloud.json.j2')) {
    expect(Object.keys(body.fields).sort()).toEqual([
      'description',
      'issuetype',
      'labels',
      'priority',
      'project',
      'summary',
    ]);
    expect(body.fields.description).toMatchObject({ type: 'doc', version: 1 });
    const [paragraph] = body.fields.description.content;
    expect(paragraph).toMatchObject({ type: 'paragraph', content: [{ type: 'text' }] });
    expect(paragraph.content[0].text).toContain(facts.model_name);
    expect(body.fields.labels).toEqual(['model-alert', facts.bound.replace('_', '-')]);
  }
});

test('the self-hosted issue template renders a plain string as description', () => {
  for (const { facts, body } of renderAll('issue-tracker-self-hosted.json.j2')) {
    expect(body.fields.project).toEqual({ key: 'OPS' });
    expect(body.fields.description).toContain(`Alert ${facts.alert_id}, fired at ${facts.fired_at}.`);
  }
});

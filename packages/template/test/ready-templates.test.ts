import { readdirSync, readFileSync } from 'node:fs';
import { type AlertFacts, alertContext } from '../src/alert/alert-context.js';
import { sampleAlerts, sampleFacts } from '../src/alert/sample-facts.js';
import { checkBody, createBodyCompiler } from '../src/index.js';

const directory = new URL('../../../docs/templates/', import.meta.url);
const page = readFileSync(new URL('README.md', directory), 'utf8');
const names = readdirSync(directory).filter((name) => name.endsWith('.j2'));
const compile = createBodyCompiler();

interface Metadata {
  title: string;
  kind: string;
  summary: string;
  url: string;
  headers: Record<string, string[]>;
  placeholders: Record<string, string>;
  expects: string;
}

const placeholder = /<[A-Z][A-Z0-9_]*>/g;

function read(name: string) {
  const source = readFileSync(new URL(name, directory), 'utf8');
  const [whole = '', json = ''] = /^\{#\n([\s\S]*?)\n#\}\n/.exec(source) ?? [];
  return { source, template: source.slice(whole.length), metadata: JSON.parse(json) as Metadata };
}

function render(name: string, facts: AlertFacts): unknown {
  const compiled = compile(read(name).source);
  if (!compiled.ok) throw new Error(compiled.error.message);
  const rendered = compiled.template.render(alertContext(facts));
  if (!rendered.ok) throw new Error(rendered.error.message);
  return JSON.parse(rendered.output);
}

/** Renders a template for each sample alert. `Body` is the type of the parts of the body that a test reads. */
const renderAll = <Body>(name: string) =>
  sampleAlerts.map((facts) => ({ facts, body: render(name, facts) as Body }));

interface Text {
  type: string;
  text: string;
}

test('the page of ready-made templates lists all templates and no others', () => {
  const listed = [...page.matchAll(/^\| \[([^\]]+)\]/gm)].map(([, name]) => name);
  expect(listed.sort()).toEqual([...names].sort());
});

describe.each(names)('%s', (name) => {
  test('the metadata of a ready-made template is complete and names all placeholders', () => {
    const { metadata, template } = read(name);
    expect(Object.keys(metadata)).toEqual([
      'title',
      'kind',
      'summary',
      'url',
      'headers',
      'placeholders',
      'expects',
    ]);
    expect(['chat', 'issue_tracker', 'pager', 'incident', 'e_mail', 'event']).toContain(metadata.kind);
    expect(metadata.headers['Content-Type']?.[0]).toMatch(/^application\/([a-z]+\+)?json\b/);
    const used = `${metadata.url} ${JSON.stringify(metadata.headers)} ${template}`.match(placeholder) ?? [];
    expect(Object.keys(metadata.placeholders).sort()).toEqual([...new Set(used)].sort());
    expect(new URL(metadata.url.replaceAll(placeholder, 'https://x')).protocol).toBe('https:');
  });

  test('a ready-made template is accepted without warnings and renders for all sample alerts', () => {
    expect(checkBody(read(name).source)).toEqual({ ok: true, warnings: [] });
    for (const { body } of renderAll<unknown>(name)) expect(body).toEqual(expect.any(Object));
  });

  test('a ready-made template renders the same body with and without its metadata', () => {
    const { template } = read(name);
    const compiled = compile(template);
    const rendered = compiled.ok ? compiled.template.render(alertContext(sampleFacts)) : compiled;
    expect(rendered.ok && JSON.parse(rendered.output)).toEqual(render(name, sampleFacts));
  });

  test('the rendered body is different for a test alert, and for a resolved alert', () => {
    const plain = render(name, sampleFacts);
    expect(render(name, { ...sampleFacts, is_test: true })).not.toEqual(plain);
    expect(render(name, { ...sampleFacts, state: 'resolved' })).not.toEqual(plain);
  });
});

interface ChatMessage {
  blocks: [header: { text: Text }, fields: { fields: [model: Text, ...Text[]] }];
}

test('a chat message obeys the length limits of the chat service and escapes model names', () => {
  for (const { facts, body } of renderAll<ChatMessage>('chat-service.json.j2')) {
    const [header, fields] = body.blocks;
    expect(header.text.type).toBe('plain_text');
    expect(header.text.text.length).toBeLessThanOrEqual(150);
    expect(header.text.text).not.toContain('\n');
    expect(fields.fields).toHaveLength(4);
    for (const { type, text } of fields.fields) {
      expect(type).toBe('mrkdwn');
      expect(text.length).toBeLessThanOrEqual(2_000);
    }
    const escaped = facts.model_name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    expect(fields.fields[0].text).toBe(`*Model*\n${escaped}`);
  }
  const long = { ...sampleFacts, alert_rule_name: 'x'.repeat(255), model_name: 'y'.repeat(1_024) };
  const { blocks } = render('chat-service.json.j2', long) as ChatMessage;
  expect(blocks[0].text.text.length).toBeLessThanOrEqual(150);
});

interface Cards {
  attachments: [{ contentType: string; content: { body: { type: string; facts?: object[] }[] } }];
}

test('the adaptive card has a version, and its fact set lists the model and all labels', () => {
  for (const { facts, body } of renderAll<Cards>('chat-service-cards.json.j2')) {
    const [{ contentType, content }] = body.attachments;
    expect(contentType).toBe('application/vnd.microsoft.card.adaptive');
    expect(content).toMatchObject({ type: 'AdaptiveCard', version: '1.4' });
    const { facts: shown } = content.body.find(({ type }) => type === 'FactSet')!;
    expect(shown).toContainEqual({ title: 'Model', value: facts.model_name });
    expect(shown).toHaveLength(4 + Object.keys(facts.labels).length);
  }
});

interface CloudIssue {
  fields: {
    summary: string;
    labels: string[];
    description: { content: { type: string; content: [Text] }[] };
  };
}

test('the issue for Jira Cloud has a structured document as description', () => {
  for (const { facts, body } of renderAll<CloudIssue>('issue-tracker-cloud.json.j2')) {
    const { description, labels, summary, ...rest } = body.fields;
    expect(Object.keys(rest).sort()).toEqual(['issuetype', 'priority', 'project']);
    expect(description).toMatchObject({ type: 'doc', version: 1 });
    for (const { type, content } of description.content) {
      expect([type, content[0].type]).toEqual(['paragraph', 'text']);
      expect(content[0].text).not.toBe('');
    }
    expect(JSON.stringify(description)).toContain(JSON.stringify(facts.model_name).slice(1, -1));
    expect(labels).toEqual([
      'model-alert',
      facts.bound.replace('_', '-'),
      ...(facts.is_test ? ['test'] : []),
    ]);
    expect(summary.length).toBeLessThanOrEqual(255);
    expect(summary).not.toContain('\n');
  }
});

test('the issue for Jira Data Center has plain text as description', () => {
  for (const { facts, body } of renderAll<{
    fields: { project: object; summary: string; description: string };
  }>('issue-tracker-self-hosted.json.j2')) {
    expect(body.fields.project).toEqual({ key: '<PROJECT_KEY>' });
    expect(body.fields.description).toContain(`Alert ${facts.alert_id}, fired at ${facts.fired_at}.`);
    expect(body.fields.summary.length).toBeLessThanOrEqual(255);
  }
});

test('templates for incident services open and close one incident for each rule and model', () => {
  const resolved = { ...sampleFacts, alert_id: 'another', state: 'resolved' };
  const tested = { ...sampleFacts, is_test: true };
  const renderEvent = (facts: AlertFacts) =>
    render('pager-events.json.j2', facts) as { dedup_key: string; payload: { severity: string } };
  const [event, eventResolved, eventTested] = [sampleFacts, resolved, tested].map(renderEvent);
  expect(event).toMatchObject({ event_action: 'trigger', payload: { severity: 'critical' } });
  expect(eventResolved).toMatchObject({ event_action: 'resolve', dedup_key: event!.dedup_key });
  expect(eventTested!.payload.severity).toBe('info');
  expect(eventTested!.dedup_key).not.toBe(event!.dedup_key);

  const renderPage = (facts: AlertFacts) =>
    render('pager-rest.json.j2', facts) as { message_type: string; entity_id: string };
  const paged = [sampleFacts, resolved, tested].map(renderPage);
  expect(paged.map(({ message_type }) => message_type)).toEqual(['CRITICAL', 'RECOVERY', 'INFO']);
  expect(paged[1]!.entity_id).toBe(paged[0]!.entity_id);

  const renderIncident = (facts: AlertFacts) =>
    render('incident-tool.json.j2', facts) as { status: string; deduplication_key: string };
  const incidents = [sampleFacts, resolved].map(renderIncident);
  expect(incidents.map(({ status }) => status)).toEqual(['firing', 'resolved']);
  expect(incidents[1]!.deduplication_key).toBe(incidents[0]!.deduplication_key);
});

interface Mail {
  subject: string;
  content: [{ value: string }];
  personalizations: [{ to: object[] }];
}

test('the subject of the e-mail has only one line, even if the rule name has several', () => {
  for (const { facts, body } of renderAll<Mail>('e-mail-gateway.json.j2')) {
    expect(body.subject).not.toMatch(/[\r\n]/);
    expect(body.content[0].value).toContain(`Alert: ${facts.alert_id}`);
    expect(body.personalizations[0].to).toHaveLength(1);
  }
});

test('the CloudEvents template renders an event whose data has all values of the alert', () => {
  for (const { facts, body } of renderAll<{ type: string; source: string; data: object }>(
    'cloudevents.json.j2',
  )) {
    expect(body).toMatchObject({ specversion: '1.0', id: facts.alert_id, time: facts.fired_at });
    expect(body.type).toBe(`tocsin.alert.${facts.state === 'resolved' ? 'resolved' : 'fired'}`);
    expect(body.source).toMatch(/^urn:/);
    expect(body.data).toEqual(facts);
  }
});

import { markedLines, pictureOf } from './picture.js';

test('the picture of a chat message made of blocks has the header as title and fields as facts', () => {
  const picture = pictureOf({
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: 'Fired' } },
      { type: 'divider' },
      { type: 'section', fields: [{ type: 'mrkdwn', text: '*Model*\nLoan' }] },
      { type: 'section', text: { type: 'mrkdwn', text: 'Alert `1`' } },
    ],
  });
  expect(picture).toMatchObject({ kind: 'chat message', title: 'Fired' });
  expect(picture?.parts.map(({ type }) => type)).toEqual(['line', 'facts', 'text']);
});

test('the picture of an issue has project, type, priority and labels as badges', () => {
  const fields = {
    project: { key: 'OPS' },
    issuetype: { name: 'Bug' },
    priority: { name: 'High' },
    labels: ['model-alert'],
    summary: 'Accuracy',
    description: { type: 'doc', content: [{ content: [{ text: 'One. ' }, { text: 'Two.' }] }] },
  };
  expect(pictureOf({ fields })).toEqual({
    kind: 'issue',
    title: 'Accuracy',
    badges: ['OPS', 'Bug', 'High', 'model-alert'],
    parts: [{ type: 'text', lines: [[{ text: 'One. Two.', style: 'plain' }]] }],
  });
});

test('a body with the member `text` is a chat message, and an unknown shape has no picture', () => {
  expect(pictureOf({ text: 'Hello' })).toMatchObject({ kind: 'chat message', title: '' });
  for (const body of [
    null,
    5,
    'x',
    [],
    {},
    { a: 1 },
    { blocks: 5 },
    { fields: null },
    { attachments: [null] },
  ]) {
    expect(pictureOf(body)).toBeUndefined();
  }
});

test('malformed blocks of a chat message cause no error in its picture', () => {
  const picture = pictureOf({ blocks: [null, 5, { type: 'section', text: null, fields: [null, 7] }, {}] });
  expect(picture).toMatchObject({ kind: 'chat message', title: '' });
});

test('pager events, incidents, e-mails and CloudEvents are recognised by the members of the body', () => {
  const payload = { summary: 'Down', severity: 'critical', source: 'model', custom_details: { value: 0.5 } };
  const bodies = [
    { event_action: 'trigger', payload },
    { message_type: 'CRITICAL', entity_display_name: 'Down', state_message: 'why' },
    { title: 'Down', status: 'firing', description: 'why', metadata: { value: 0.5 } },
    {
      subject: 'Down',
      personalizations: [{ to: [{ email: 'a@example.com' }] }],
      content: [{ value: 'why' }],
    },
    { specversion: '1.0', type: 'Down', source: 'urn:x', data: { value: 0.5, labels: {} } },
  ];
  const pictures = bodies.map(pictureOf);
  expect(pictures.map((picture) => [picture?.kind, picture?.title, picture?.badges])).toEqual([
    ['incident', 'Down', ['trigger', 'critical', 'model']],
    ['incident', 'Down', ['CRITICAL']],
    ['incident', 'Down', ['firing']],
    ['e-mail', 'Down', ['to a@example.com']],
    ['event', 'Down', ['urn:x']],
  ]);
  for (const picture of pictures) expect(picture?.parts).not.toEqual([]);
});

test('chat formatting is converted to styles, and HTML markup stays text', () => {
  expect(markedLines('*a* _b_ `c` <https://x.example|d> &lt;b&gt;e</b> metric_value_x')).toEqual([
    [
      { text: 'a', style: 'bold' },
      { text: ' ', style: 'plain' },
      { text: 'b', style: 'italic' },
      { text: ' ', style: 'plain' },
      { text: 'c', style: 'code' },
      { text: ' ', style: 'plain' },
      { text: 'd', style: 'link' },
      { text: ' <b>e</b> metric_value_x', style: 'plain' },
    ],
  ]);
});

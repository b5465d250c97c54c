import { isNoticeRule, noticeAlertId, noticeRules } from './notices.js';

const id = '11111111-1111-4111-8111-111111111111';
const since = new Date('2026-01-02T03:04:05.678Z');

test('the id of a notice is a UUID of version 5 that never changes', () => {
  expect(noticeAlertId('webhook.failing', id, since)).toBe('15481f76-e62a-51a8-b109-b9d4daa284ed');
});

test('the id of a notice depends on its event, its subject and its time', () => {
  const ids = [
    noticeAlertId('webhook.failing', id, since),
    noticeAlertId('webhook.recovered', id, since),
    noticeAlertId('webhook.failing', '22222222-2222-4222-8222-222222222222', since),
    noticeAlertId('webhook.failing', id, new Date(since.getTime() + 1)),
  ];
  expect(new Set(ids).size).toBe(4);
});

test('only the ids of the built-in rules are those of notice rules', () => {
  expect(Object.values(noticeRules).map((rule) => isNoticeRule(rule.id))).toEqual([true, true, true, true]);
  expect(isNoticeRule(id)).toBe(false);
});

import { readMessage } from './present-dead-letter.js';

const whole = (text: string) => readMessage(Buffer.from(text, 'utf8'), false);

describe('dead letters', () => {
  test('a dead letter that is a JSON object, null or a JSON string is shown as JSON', () => {
    expect(whole('{"alert_id":"x","n":[1,null]}')).toEqual({
      message: { alert_id: 'x', n: [1, null] },
      encoding: 'json',
    });
    expect(whole('null')).toEqual({ message: null, encoding: 'json' });
    expect(whole('"text"')).toEqual({ message: 'text', encoding: 'json' });
  });

  test.each([
    '{"metric_value":1e400}',
    '12345678901234567890',
    '{"alert_id":"x","alert_id":"y"}',
    '[-0.0]',
    '[-0]',
    '0.1000000000000000055511151231257827',
  ])('a dead letter whose JSON cannot be written without loss is shown as text: %s', (text) => {
    expect(whole(text)).toEqual({ message: text, encoding: 'utf-8' });
  });

  test('a dead letter is shown as JSON, whatever format its spaces, strings and integers have', () => {
    const text = ' {\r\n"a \\" .0\\u00e9\\/" : "\\ud800 , 1.0",\t"n": [1.0, -2.0 ,0.5,0.0]} ';
    expect(whole(text)).toEqual({
      message: { 'a " .0é/': '\ud800 , 1.0', n: [1, -2, 0.5, 0] },
      encoding: 'json',
    });
  });

  test('a dead letter that is not JSON is shown as text, including NUL and byte order mark', () => {
    expect(whole('{"broken')).toEqual({ message: '{"broken', encoding: 'utf-8' });
    expect(whole('')).toEqual({ message: '', encoding: 'utf-8' });
    expect(whole('\uFEFFa\0b')).toEqual({ message: '\uFEFFa\0b', encoding: 'utf-8' });
  });

  test('a dead letter that is not UTF-8 is shown in base64', () => {
    const bytes = Buffer.from([0xff, 0xfe, 0x00]);
    expect(readMessage(bytes, false)).toEqual({ message: bytes.toString('base64'), encoding: 'base64' });
  });

  test('a dead letter whose JSON is nested too deeply is shown as text', () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    expect(whole(deep)).toEqual({ message: deep, encoding: 'utf-8' });
    expect(whole('[[[1]]]').encoding).toBe('json');
  });

  test('a dead letter is shown as JSON up to a nesting of 100 levels', () => {
    const nested = (levels: number) => whole(`${'['.repeat(levels)}${']'.repeat(levels)}`).encoding;
    expect([nested(100), nested(101)]).toEqual(['json', 'utf-8']);
  });

  test('a truncated dead letter is shown as text, even if it is cut within a character', () => {
    const cut = Buffer.from('{"name":"é', 'utf8').subarray(0, -1);
    expect(readMessage(cut, true)).toEqual({ message: '{"name":"', encoding: 'utf-8' });
    expect(readMessage(cut, false).encoding).toBe('base64');
  });

  test('a member __proto__ of a dead letter is kept and changes no prototype', () => {
    const { message } = whole('{"__proto__":{"polluted":true}}');
    expect(JSON.stringify(message)).toBe('{"__proto__":{"polluted":true}}');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

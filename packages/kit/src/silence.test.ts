import { createSilence } from './silence.js';

function silenceAt() {
  const clock = { ms: 0 };
  return { clock, silence: createSilence({ afterMs: 1_000, now: () => clock.ms }) };
}

test('whoever has not answered for a second is probed twice a second, and not asked otherwise', () => {
  const { clock, silence } = silenceAt();
  const seen: Record<string, number[]> = { heard: [], probe: [], silent: [] };
  for (; clock.ms < 3_000; clock.ms += 10) seen[silence.state()]!.push(clock.ms);
  expect(seen.heard).toHaveLength(100);
  expect(seen.probe).toEqual([1_000, 1_500, 2_000, 2_500]);
  expect(seen.silent).toHaveLength(196);
});

test('one answer ends the silence', () => {
  const { clock, silence } = silenceAt();
  silence.state();
  clock.ms = 2_000;
  expect([silence.state(), silence.state()]).toEqual(['probe', 'silent']);
  silence.answered();
  expect([silence.state(), silence.state()]).toEqual(['heard', 'heard']);
});

test('answers that are slow, but come, are not silence', () => {
  const { clock, silence } = silenceAt();
  for (let turn = 0; turn < 10; turn += 1) {
    expect(silence.state()).toBe('heard');
    clock.ms += 900;
    silence.answered();
  }
});

test('a question that was lost long ago is no silence now', () => {
  const { clock, silence } = silenceAt();
  silence.state();
  clock.ms = 60_000;
  expect([silence.state(), silence.state()]).toEqual(['heard', 'heard']);
});

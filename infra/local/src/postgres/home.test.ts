import { mkdtempSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linkTo } from './home.js';

test('a link that a moved checkout contains is replaced', () => {
  const checkout = mkdtempSync(join(tmpdir(), 'tocsin-home-'));
  const [outside, wanted] = [join(checkout, 'outside'), join(checkout, 'postgres')];
  symlinkSync(join(checkout, 'of-the-old-path'), wanted);
  for (let count = 0; count < 2; count += 1) {
    linkTo(outside, wanted);
    expect(readlinkSync(wanted)).toBe(outside);
  }
  rmSync(checkout, { recursive: true });
});

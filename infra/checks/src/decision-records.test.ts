import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../../docs/adr/', import.meta.url));
const records = readdirSync(folder).filter((file) => /^\d{4}-/.test(file));
const index = readFileSync(`${folder}README.md`, 'utf8');

test.each(records)(
  'the file name of the decision record %s matches its title, and the README lists it',
  (file) => {
    const [, number = '', title = ''] = /^# (\d{4}) (.+)\n/.exec(readFileSync(folder + file, 'utf8')) ?? [];
    const slug = title
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replace(/-$/, '');
    expect(file).toBe(`${number}-${slug}.md`);
    expect(index).toContain(`- [${number}](${file}) ${title}`);
  },
);

import { startInbox } from './start-inbox.js';

/** Entry point of the inbox process: `node main.js {port}`. */
const inbox = await startInbox({ port: Number(process.argv[2]) });
console.log(`listening on ${inbox.url}`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await inbox.close();
    process.exit(0);
  });
}

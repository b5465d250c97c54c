import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { makeSigningKey, type SigningKey } from './signing-keys.js';
import { type ProviderOptions, startProvider } from './start-provider.js';

/**
 * Entry point of the development provider: `node main.js settings.json signing-keys.json`. Keys are generated once and
 * stored. SIGHUP rotates them: new tokens are signed with a new key, and old keys stay published.
 */
const [settingsFile, keysFile] = process.argv.slice(2);
if (settingsFile === undefined || keysFile === undefined)
  throw new Error('usage: main.js settings.json signing-keys.json');

const saveKeys = (keys: SigningKey[]) => {
  writeFileSync(`${keysFile}.new`, JSON.stringify(keys), { mode: 0o600 });
  renameSync(`${keysFile}.new`, keysFile);
};
if (!existsSync(keysFile)) saveKeys([await makeSigningKey()]);

const provider = await startProvider({
  ...(JSON.parse(readFileSync(settingsFile, 'utf8')) as ProviderOptions),
  signingKeys: JSON.parse(readFileSync(keysFile, 'utf8')) as SigningKey[],
});
console.log(`issuer ${provider.issuer}`);

process.on('SIGHUP', async () => saveKeys(await provider.rotateKeys()));
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await provider.close();
    process.exit(0);
  });
}

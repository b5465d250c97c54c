import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildImage } from './build-image.js';
import { parseDockerfile } from './dockerfile.js';
import { checkHealth } from './health.js';
import { findUnwanted, mebibytesOf } from './image-content.js';

/**
 * `npm run check:image`: runs the instructions of infra/Dockerfile in an empty folder without a container engine,
 * checks the result, starts each service from the result and runs the health check. Requires access to the package
 * registry.
 */
const repository = fileURLToPath(new URL('../../../', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'tocsin-image-'));
const services = ['webhook-api', 'engine-auth', 'delivery-worker'];
// Unpacked size of the base image node:26-alpine, measured from its layers. The image of Tocsin, which includes the
// base image, must be smaller than 250 MiB.
const baseMebibytes = 170;
const maxMebibytes = 250;
const problems: string[] = [];
try {
  const stages = parseDockerfile(readFileSync(join(repository, 'infra/Dockerfile'), 'utf8'));
  const image = buildImage(stages, { repository, root });
  problems.push(...findUnwanted(image.directory));
  const ours = mebibytesOf(image.directory);
  console.log(`${ours.toFixed(1)} MiB on top of the base image's ${baseMebibytes} MiB.`);
  if (ours + baseMebibytes >= maxMebibytes) problems.push(`the image has ${ours + baseMebibytes} MiB`);
  for (const service of services) {
    const failure = await checkHealth(image, service);
    console.log(`${service}: ${failure ?? 'passes its health check and stops on SIGTERM'}`);
    if (failure !== undefined) problems.push(`${service} ${failure}`);
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
if (problems.length > 0) {
  console.error(`The image is not as promised:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
  process.exitCode = 1;
}

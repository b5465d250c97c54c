import { type EngineName, engines } from './engines.js';

const engine = engines[process.argv[2] as EngineName]();
process.on('message', (line: string) => void process.send?.(engine.run(line)));
process.send?.(engine.version);

import { launch } from './launcher/launch.js';

process.exit(await launch(process.argv.slice(2), process.env));

// `npm run setup`: installs the dependencies and compiles, after which every command of CONTRIBUTING.md works.
import { bootstrap } from './bootstrap.mjs';

await bootstrap();

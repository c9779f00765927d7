// Makes the embedded stores of the folders in its words. It is a process of its own because making a
// store takes 800 MB, which a process that goes on would keep.
import { createEmbeddedStores } from '../packages/shared/dist/src/embedded/embedded-database.js';

try {
  await createEmbeddedStores(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

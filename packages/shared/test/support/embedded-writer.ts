/** A process that writes and acknowledges row after row until it is killed. */
import { openEmbeddedDatabase } from '../../src/embedded/embedded-database.ts';

const database = await openEmbeddedDatabase(process.argv[2] ?? '');
await database.execute('CREATE TABLE item (id int PRIMARY KEY)');
for (let id = 1; ; id += 1) {
  await database.query('INSERT INTO item VALUES ($1)', [id]);
  process.send?.(id);
}

// What a new page is measured against: a server that verifies nothing, and answers with the rows of the
// best SQL by hand as JSON.
import { createServer } from 'node:http';
import pg from '../packages/shared/node_modules/pg/lib/index.js';

process.once('message', async ({ connectionString, settings, texts, port }) => {
  const client = new pg.Client({ connectionString });
  // The database ends with the benchmark.
  client.on('error', () => process.exit());
  await client.connect();
  await client.query(settings);
  const server = createServer(async (request, response) => {
    const asked = new URL(request.url, 'http://localhost').searchParams;
    const values = [asked.get('asOf'), asked.get('limit')];
    const caller = asked.get('caller');
    const { rows } = await client.query({ name: caller, text: texts[caller], values });
    const body = JSON.stringify({ data: rows });
    response.setHeader('Content-Type', 'application/json');
    response.setHeader('Content-Length', Buffer.byteLength(body));
    response.end(body);
  });
  server.listen(port, '127.0.0.1', () => process.send('listening'));
});

// What reads are measured against: a Koa app that answers the same bytes to anyone.
import Koa from '../packages/resource-api/node_modules/koa/lib/application.js';

process.once('message', ({ body, coding, port }) => {
  const bytes = Buffer.from(body, 'base64');
  const app = new Koa();
  app.use((ctx) => {
    ctx.set('Content-Type', 'application/json; charset=utf-8');
    if (coding !== undefined) ctx.set('Content-Encoding', coding);
    ctx.body = bytes;
  });
  app.listen(port, '127.0.0.1', () => process.send('listening'));
});

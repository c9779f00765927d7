// One click on a page of the documentation gets a token of a demo caller. Only the gateway of `npm start`
// answers this, beside the services, which know nothing of it: a deployment runs without these scripts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bootstrap.mjs';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const read = (...path) => readFileSync(join(root, ...path), 'utf8');

/**
 * What the gateway answers itself, by path. Nothing where callers reach the gateway at another address
 * than this machine's own.
 */
export function demoTokenRoutes({ baseUrl, caller }) {
  const { host, hostname } = new URL(baseUrl);
  if (!LOOPBACK.includes(hostname)) return {};
  const script = [
    read('packages', 'resource-api', 'assets', 'try-it.js'),
    read('scripts', 'demo-token-button.js'),
  ].join('\n');
  return {
    '/docs/assets/try-it.js': (_, outgoing) =>
      send(outgoing, 200, 'text/javascript; charset=utf-8', script),
    '/demo/token': async (incoming, outgoing) => {
      // A page of another site must not get one, under whichever name it reaches this machine.
      const { headers, method } = incoming;
      const isOwnPage = headers['sec-fetch-site'] === 'same-origin' && headers.host === host;
      if (method !== 'POST' || !isOwnPage) {
        return send(outgoing, 403, 'text/plain', 'This is for the pages of the documentation.\n');
      }
      const { status, text } = await tokenOf(baseUrl, caller);
      send(outgoing, status, 'application/json', text);
    },
  };
}

async function tokenOf(baseUrl, { clientId, clientSecret }) {
  try {
    const answer = await fetch(`${baseUrl}/oauth/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    return { status: answer.status, text: await answer.text() };
  } catch {
    return { status: 503, text: JSON.stringify({ error: 'temporarily_unavailable' }) };
  }
}

function send(outgoing, status, type, body) {
  outgoing.writeHead(status, {
    'Content-Type': type,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  outgoing.end(body);
}

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, globalAgent, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { type Log, silentLog } from '@cls/shared/log';
import { newCertificate } from '@cls/testing/certificates';
import { anyEngine, requireServer } from '@cls/testing/engines';
import { findBinary, temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import { exportPKCS8 } from 'jose';
import { fetchKeySet } from '../src/library/fetch-key-set.ts';
import {
  assertion,
  assertionForm,
  type ClientKey,
  newClientKey,
  newKeyClient,
} from './support/client-keys.ts';
import { type ToolWorld, toolWorld } from './support/tool-world.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe('a key set that a client publishes (jwks_uri)', () => {
  let publisher: Server;
  let address: string;
  let world: ToolWorld;
  let key: ClientKey;
  let reads = 0;
  before(async function () {
    requireServer(this, 'openssl', findBinary('openssl'));
    const { certificate, key: tlsKey } = newCertificate('/CN=localhost');
    globalAgent.options.ca = certificate;
    key = await newClientKey('PS256');
    publisher = createServer({ cert: certificate, key: tlsKey }, ({ url }, response) => {
      reads += 1;
      const body = JSON.stringify({ keys: [key.publicJwk] });
      // A year, which does not count.
      response.setHeader('cache-control', 'max-age=31536000');
      if (url === '/jwks.json') response.end(body);
      else if (url === '/moved') response.writeHead(302, { location: '/jwks.json' }).end();
      else if (url === '/large') response.end(body + ' '.repeat(70_000));
      else if (url === '/slow') response.write(body.slice(0, 10));
      else if (url === '/headers') response.writeHead(200, { x: 'x'.repeat(20_000) }).end(body);
      else response.writeHead(404).end();
    }).listen(0, 'localhost');
    await once(publisher, 'listening');
    address = `https://localhost:${(publisher.address() as AddressInfo).port}`;
    world = await toolWorld(anyEngine, { JWKS_URI_TO_LOOPBACK: '1' });
  });
  after(async () => {
    delete globalAgent.options.ca;
    publisher?.closeAllConnections();
    publisher?.close();
    await world?.stop();
  });

  const register = (path: string) =>
    newKeyClient(world, `--auth-method private_key_jwt --jwks-uri ${address}${path}`);
  const ask = async (clientId: string) =>
    world.server.post(assertionForm(await assertion(world.server.issuer, clientId, key)), FORM);

  it('proves the client, and is read once for many tokens', async () => {
    const { clientId } = await register('/jwks.json');
    const before = reads;
    for (let n = 0; n < 5; n += 1) expect((await ask(clientId)).status).to.equal(200);
    expect(reads - before).to.equal(1);
  });

  it('proves nobody where it is not there, redirects, or is too large', async () => {
    for (const path of ['/none', '/moved', '/large', '/headers']) {
      const { clientId } = await register(path);
      const answer = await ask(clientId);
      expect(answer.status, path).to.equal(401);
      expect(await answer.json()).to.include({ error: 'invalid_client' });
    }
  });

  it('is not asked for again by each stranger while it cannot be read', async () => {
    const { clientId } = await register('/gone');
    const before = reads;
    for (let n = 0; n < 10; n += 1) expect((await ask(clientId)).status).to.equal(401);
    expect(reads - before).to.equal(1);
  });

  it('works with the assertions of authlib', async function () {
    const python = await pythonWithAuthlib();
    requireServer(this, 'Python with python3-authlib', python);
    const { clientId } = await register('/jwks.json');
    const { stdout } = await promisify(execFile)('/usr/bin/python3', ['-c', AUTHLIB], {
      env: {
        ...process.env,
        ENDPOINT: `${world.server.issuer}/oauth/token`,
        CLIENT_ID: clientId,
        PRIVATE_KEY: await exportPKCS8(key.privateKey),
        KID: key.kid,
        HOME: temporaryDirectory('cls-authlib-'),
      },
    });
    expect(JSON.parse(stdout)).to.include({ token_type: 'Bearer', expires_in: 86_400 });
  });

  describe('is read', () => {
    const lines: object[] = [];
    const log: Log = { ...silentLog, warn: (fields) => void lines.push(fields) };
    const read = async (url: string, keySetsFromLoopback = true, ms = 2_500) => {
      lines.length = 0;
      const settings = { keySetsFromLoopback, log };
      const answer = await fetchKeySet(new URL(url), AbortSignal.timeout(ms), settings);
      return answer.json();
    };
    const whyNot = async (...words: Parameters<typeof read>) => {
      const error = await read(...words).then(
        () => expect.fail('was read'),
        (failed: Error) => failed,
      );
      expect(lines).to.have.length(1);
      expect(lines[0]).to.include({ url: new URL(words[0]).href });
      return error.message;
    };

    it('whole, without the times of its answer', async () => {
      expect(await read(`${address}/jwks.json`)).to.deep.equal({ keys: [key.publicJwk] });
    });

    it('from public addresses alone, also where a name leads elsewhere', async () => {
      const refused = 'the host has an address that is not public';
      for (const url of [
        `${address}/jwks.json`,
        'https://127.0.0.1/jwks.json',
        'https://[::1]/jwks.json',
        'https://10.0.0.1/jwks.json',
        'https://169.254.169.254/latest',
        'https://[::ffff:10.0.0.1]/jwks.json',
        'https://2130706433/jwks.json',
      ]) {
        expect(await whyNot(url, false), url).to.equal(refused);
      }
      expect(await whyNot('https://10.0.0.1/jwks.json', true)).to.equal(refused);
    });

    it('in the time that the library gives', async () => {
      expect(await whyNot(`${address}/slow`, true, 200)).to.include('abort');
    });

    it('over TLS whose certificate is trusted', async () => {
      const url = address.replace('localhost', '127.0.0.1');
      expect(await whyNot(`${url}/jwks.json`)).to.include('IP: 127.0.0.1');
    });
  });
});

async function pythonWithAuthlib(): Promise<true | undefined> {
  const words = ['-c', 'import authlib, requests'];
  return promisify(execFile)('/usr/bin/python3', words).then(
    () => true,
    () => undefined,
  );
}

const AUTHLIB = `
import json, os
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import PrivateKeyJWT
session = OAuth2Session(os.environ["CLIENT_ID"], os.environ["PRIVATE_KEY"],
                        token_endpoint_auth_method="private_key_jwt")
session.register_client_auth_method(
    PrivateKeyJWT(os.environ["ENDPOINT"], headers={"alg": "PS256", "kid": os.environ["KID"]}, alg="PS256"))
print(json.dumps(session.fetch_token(os.environ["ENDPOINT"], grant_type="client_credentials")))
`;

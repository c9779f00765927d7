import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { silentLog } from '@cls/shared/log';
import { eventually } from '@cls/testing/servers';
import { expect } from 'chai';
import { outageChecks } from '../src/server/outage-checks.ts';
import { type Services, sharedServices } from './support/services.ts';

describe('the log of the explorer while the issuer or the API does not answer', () => {
  /** Stands for both. */
  let server: Server;
  let url: string;
  const away = new Set<string>();
  let services: Services;
  before(async () => {
    services = await sharedServices();
    server = createServer((request, response) => {
      const path = request.url ?? '';
      if ([...away].some((one) => path.startsWith(one))) request.socket.destroy();
      else response.end('{}');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => away.clear());
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  it('says which one, and when all answer again', async () => {
    const lines: { fields: object; message: string }[] = [];
    const write = (fields: object, message: string) => void lines.push({ fields, message });
    const { port, stop } = await services.startAnother(
      { EXPLORER_PORT: '0', ISSUER: url, EXPLORER_API_URL: `${url}/api` },
      { ...silentLog, error: write, info: write },
    );
    try {
      lines.length = 0;
      away.add('/.well-known');
      for (let n = 0; n < 2; n += 1) {
        const page = await fetch(`http://127.0.0.1:${port}/deals`, { redirect: 'manual' });
        expect(page.status).to.equal(503);
      }
      const faults = () => lines.filter(({ message }) => / needed /.test(message));
      const [begins] = faults();
      expect(begins?.message).to.equal('a service or a store that is needed does not answer');
      expect(begins?.fields).to.include({ reason: 'the issuer’s metadata cannot be read' });
      away.clear();
      await eventually(async () =>
        expect(faults().map(({ message }) => message)).to.deep.equal([
          'a service or a store that is needed does not answer',
          'the services and stores that are needed answer again',
        ]),
      );
    } finally {
      await stop();
    }
  });

  it('does not say that all answer while one of them does not', async () => {
    const sessions = { isAway: false };
    const checks = outageChecks({
      ...{ issuer: url, apiUrl: `${url}/api` },
      sessionsReady: async () => {
        if (sessions.isAway) throw new Error('connect ECONNREFUSED');
      },
    });
    const failing = async () => {
      const results = await Promise.allSettled(checks.map(({ check }) => check()));
      return checks.filter((_, n) => results[n]?.status === 'rejected').map(({ name }) => name);
    };
    expect(await failing()).to.deep.equal([]);
    away.add('/api');
    expect(await failing()).to.deep.equal(['api']);
    away.add('/.well-known');
    expect(await failing()).to.deep.equal(['issuer', 'api']);
    sessions.isAway = true;
    expect(await failing()).to.deep.equal(['sessions', 'issuer', 'api']);
  });
});

import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { PortUnavailable, startHttpService } from '../src/http/http-service.ts';
import { silentLog } from '../src/log.ts';

const OPTIONS = {
  host: '127.0.0.1',
  port: 0,
  drainDelayMs: 0,
  drainTimeoutMs: 5_000,
  trustedProxyHops: 0,
  log: silentLog,
};

describe('an HTTP service', () => {
  it('stops without cutting a request, on connections that are never idle', async () => {
    const service = await startHttpService(OPTIONS, () => async (_, response) => {
      await sleep(20);
      response.end('ok');
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    const get = () =>
      new Promise<string>((done) => {
        request({ port: service.port, host: '127.0.0.1', agent }, (response) => {
          response.resume();
          response.once('end', () => done('answered'));
          response.once('error', () => done('cut'));
        })
          .once('error', (error: NodeJS.ErrnoException) => done(error.code ?? 'error'))
          .end();
      });
    const outcomes: string[] = [];
    let going = true;
    const callers = Array.from({ length: 4 }, async () => {
      while (going) outcomes.push(await get());
    });
    await sleep(200);
    await service.stop();
    going = false;
    await Promise.all(callers);
    agent.destroy();
    expect(
      outcomes.filter((outcome) => outcome === 'cut' || outcome === 'ECONNRESET'),
    ).to.deep.equal([]);
    expect(outcomes.filter((outcome) => outcome === 'answered').length).to.be.greaterThan(8);
  });

  it('names a port that is taken', async () => {
    const first = await startHttpService(OPTIONS, () => (_, response) => response.end());
    const second = await startHttpService(
      { ...OPTIONS, port: first.port },
      () => () => undefined,
    ).catch((error: unknown) => error);
    expect(second).to.be.instanceOf(PortUnavailable);
    expect(String(second)).to.include(`port ${first.port} is already in use`);
    await first.stop();
  });

  for (const [hops, header, warnings] of [
    [0, 'x-forwarded-for', 1],
    [0, 'forwarded', 1],
    [0, 'x-request-id', 0],
    [1, 'x-forwarded-for', 0],
  ] as const) {
    it(`that trusts ${hops} proxies warns ${warnings} times of three requests with ${header}`, async () => {
      const lines: string[] = [];
      const log = { ...silentLog, warn: (_: object, text: string) => void lines.push(text) };
      const service = await startHttpService(
        { ...OPTIONS, trustedProxyHops: hops, log },
        () => (_, response) => response.end(),
      );
      for (let n = 0; n < 3; n += 1) {
        await fetch(`http://127.0.0.1:${service.port}`, { headers: { [header]: '203.0.113.1' } });
      }
      await service.stop();
      expect(lines).to.have.length(warnings);
      if (warnings > 0) expect(lines[0]).to.include('TRUSTED_PROXY_HOPS');
    });
  }
});

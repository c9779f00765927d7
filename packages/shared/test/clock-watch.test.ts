import { readExposition } from '@cls/testing/exposition';
import { eventually, freePort } from '@cls/testing/servers';
import { expect } from 'chai';
import { aheadOfDate, measureClock } from '../src/clock-offset.ts';
import type { Log } from '../src/log.ts';
import { noMetrics } from '../src/metrics/metrics.ts';
import { clockWatch, isOutvoted } from '../src/service/clock-watch.ts';
import { openMetrics } from '../src/service/open-metrics.ts';

const MANIFEST = new URL('../../package.json', import.meta.url);

describe('the clock of this machine', () => {
  const TABLE: readonly (readonly [string, readonly number[], boolean])[] = [
    ['nobody to compare with', [], false],
    ['one that agrees', [0.2], false],
    ['one that differs: either may be wrong', [-60], false],
    ['two that agree with each other alone', [-60, -61], true],
    ['the same, the other way', [60, 60.5], true],
    ['the database’s clock alone is wrong', [-60, 0], false],
    ['the database’s clock and another replica are wrong, not together', [-60, 200], false],
    ['as many for it as against it', [-60, -60, 0], false],
    ['three against two', [-60, -60, -59, 0], true],
    ['all differ', [-60, 60, 120], false],
    ['at the tolerance', [30, 30], false],
    ['beyond it', [30.1, 30.1], true],
  ];
  for (const [clocks, ahead, isWrong] of TABLE) {
    it(`is ${isWrong ? 'wrong' : 'not shown to be wrong'}: ${clocks}`, () => {
      expect(isOutvoted(ahead, 30)).to.equal(isWrong);
    });
  }

  /** What is written, by level. */
  const recorded = () => {
    const lines: { readonly level: string; readonly fields: object; readonly text: string }[] = [];
    const write = (level: string) => (fields: object, text: string) => {
      lines.push({ level, fields, text });
    };
    const log: Log = {
      ...{ error: write('error'), warn: write('warn') },
      ...{ info: write('info'), debug: write('debug') },
    };
    return { log, lines };
  };

  it('takes a service out of readiness with one line, and back with another', async () => {
    const { log, lines } = recorded();
    let aheadS = -60;
    let looks = 0;
    const metrics = await openMetrics(
      { host: '127.0.0.1', port: await freePort() },
      ...(['test', MANIFEST, log] as const),
    );
    lines.length = 0;
    const watch = clockWatch({
      clocks: {
        database: async () => {
          looks += 1;
          return [aheadS];
        },
        replicas: async () => [aheadS - 0.4, aheadS + 0.2],
        issuer: () => Promise.reject(new Error('down')),
      },
      ...{ toleranceS: 30, metrics, log, everyMs: 5 },
    });
    await eventually(async () => {
      const error = await watch.check.check().catch((thrown: unknown) => thrown);
      expect(error).to.have.property('reason', 'clock_wrong');
    });
    const seen = looks;
    await eventually(async () => expect(looks).to.be.above(seen + 5));
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include({ level: 'error' });
    expect(lines[0]?.fields).to.have.nested.property('aheadOfS.database', -60);
    const read = await readExposition(metrics.port);
    expect(read.value('cls_clock_ahead_seconds', { of: 'database' })).to.equal(-60);
    expect(read.value('cls_clock_ahead_seconds', { of: 'replicas' })).to.equal(-60.4);
    expect(read.value('cls_clock_ahead_seconds', { of: 'issuer' })).to.equal(undefined);
    aheadS = 0.1;
    await eventually(() => watch.check.check());
    expect(lines.map(({ level }) => level)).to.deep.equal(['error', 'info']);
    watch.stop();
    await metrics.stop();
  });

  /** Beside an issuer that agrees, a database that answers each look so. */
  const watching = (log: Log, answer: (look: number) => readonly number[]) => {
    let looks = 0;
    const watch = clockWatch({
      clocks: {
        database: async () => {
          looks += 1;
          return answer(looks);
        },
        issuer: async () => [0],
      },
      ...{ toleranceS: 30, metrics: noMetrics, log, everyMs: 5 },
    });
    const looked = (times: number) => eventually(async () => expect(looks).to.be.above(times));
    return { watch, looked };
  };

  it('leaves a service ready where it is the database’s clock that is wrong, and says so once', async () => {
    const { log, lines } = recorded();
    const { watch, looked } = watching(log, () => [3_600]);
    await looked(5);
    await watch.check.check();
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include({ level: 'warn' });
    watch.stop();
  });

  it('is not said to agree with a clock that is not read any more', async () => {
    const { log, lines } = recorded();
    const { watch, looked } = watching(log, (look) => {
      if (look > 3) throw new Error('down');
      return [3_600];
    });
    await looked(6);
    watch.stop();
    expect(lines.map(({ level }) => level)).to.deep.equal(['warn']);
  });

  it('is not judged by one look', async () => {
    const { log, lines } = recorded();
    let looks = 0;
    const watch = clockWatch({
      clocks: {
        database: async () => {
          looks += 1;
          return looks === 3 ? [-60, -60] : [0, 0];
        },
      },
      ...{ toleranceS: 30, metrics: noMetrics, log, everyMs: 5 },
    });
    await eventually(async () => expect(looks).to.be.above(6));
    await watch.check.check();
    expect(lines).to.deep.equal([]);
    watch.stop();
  });

  it('is compared with the middle of the time that an answer took', async () => {
    const measured = await measureClock(async () => Date.now() + 60_000);
    expect(measured?.aheadS).to.be.closeTo(-60, 1);
    const headers = new Headers({ date: new Date(Date.now() - 120_000).toUTCString() });
    expect(aheadOfDate(headers, 10)).to.be.closeTo(120, 2);
    expect(aheadOfDate(headers, 60_000), 'an answer that took a minute').to.equal(undefined);
    expect(aheadOfDate(new Headers(), 10)).to.equal(undefined);
  });
});

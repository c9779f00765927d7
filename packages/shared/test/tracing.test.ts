import { eventually, freePort } from '@cls/testing/servers';
import { context, propagation, trace } from '@opentelemetry/api';
import { expect } from 'chai';
import { silentLog } from '../src/log.ts';
import { openTracing } from '../src/service/open-tracing.ts';

const MANIFEST = new URL('../../package.json', import.meta.url);

describe('traces that cannot be sent', () => {
  const before = { ...process.env };
  afterEach(() => {
    process.env = { ...before };
    for (const one of [trace, context, propagation]) one.disable();
  });

  it('are one line in the log, without a header', async () => {
    const endpoint = `http://127.0.0.1:${await freePort()}`;
    Object.assign(process.env, {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=hidden-word',
      OTEL_EXPORTER_OTLP_TIMEOUT: '300',
      OTEL_BSP_SCHEDULE_DELAY: '20',
    });
    const tracing = await openTracing(endpoint, 'cls-test', MANIFEST);
    const lines: object[] = [];
    const warn = (fields: object, message: string) => void lines.push({ ...fields, message });
    tracing?.reportTo({ ...silentLog, warn });
    const work = () => tracing?.during('work', async () => undefined);
    await eventually(async () => {
      await work();
      expect(lines).to.have.length(1);
    }, 20_000);
    await work();
    await tracing?.stop();
    expect(lines).to.deep.equal([
      {
        count: 1,
        reason: 'ECONNREFUSED',
        message: 'traces cannot be sent to the collector, and are lost',
      },
    ]);
  });
});

import { expect } from 'chai';
import { Secret } from '../src/secret.ts';
import { plaintextConnections, warnOfPlaintext } from '../src/service/plaintext-connections.ts';
import type { ServiceEnvironment } from '../src/service/service-environment.ts';

const config = (postgres?: string, redis?: string) => ({
  database:
    postgres === undefined
      ? ({ kind: 'embedded', directory: '/nowhere' } as const)
      : ({ kind: 'postgres', url: new Secret(postgres), poolSize: 1 } as const),
  redisUrl: redis === undefined ? undefined : new Secret(redis),
});

describe('connections without TLS', () => {
  for (const url of [
    'postgres://cls:p@ss@db.example:5432/cls',
    'postgres://cls@db.example/cls?sslmode=disable',
    'postgres://cls@db.example/cls?sslmode=prefer',
    'postgres://cls@db.example/cls?sslmode=no-verify',
    'postgres://cls@127.0.0.1,db.example/cls',
  ]) {
    it(`are named for ${url}`, () => {
      expect(plaintextConnections(config(url))).to.deep.equal(['PostgreSQL']);
    });
  }

  for (const url of [
    'postgres://cls@db.example/cls?sslmode=verify-full',
    'postgres://cls@db.example/cls?application_name=x&sslmode=require',
    'postgres://cls@localhost/cls',
    'postgres://cls@127.0.0.1:5433/cls',
    'postgres://cls@[::1]:5432/cls',
    'postgres://cls@/cls?host=/run/postgresql',
  ]) {
    it(`are not seen in ${url}`, () => {
      expect(plaintextConnections(config(url))).to.deep.equal([]);
    });
  }

  it('are named for Redis, its sentinels and its cluster, unless they are local or use TLS', () => {
    for (const url of [
      'redis://:secret@redis.example:6379',
      'redis+sentinel://127.0.0.1:26379,s2.example/main/1',
      'redis+cluster://c1.example:7000',
    ]) {
      expect(plaintextConnections(config(undefined, url)), url).to.deep.equal(['Redis']);
    }
    for (const url of [
      'rediss://redis.example',
      'rediss+sentinel://s1.example/main',
      'redis://localhost:6379/2',
      'redis+cluster://127.0.0.1:7000,[::1]:7001',
    ]) {
      expect(plaintextConnections(config(undefined, url)), url).to.deep.equal([]);
    }
  });

  it('are named for a replica, though the primary has TLS', () => {
    const primary = config('postgres://cls@db.example/cls?sslmode=verify-full');
    const readReplicas = [new Secret('postgres://cls@replica.example/cls')];
    expect(plaintextConnections({ ...primary, readReplicas })).to.deep.equal(['PostgreSQL']);
  });

  it('are warned of in production, without a password in the line, and nowhere else', () => {
    const lines: [object, string][] = [];
    const log = { warn: (fields: object, text: string) => lines.push([fields, text]) } as never;
    const environment = config('postgres://cls:hunter2@db.example/cls', 'redis://redis.example');
    warnOfPlaintext({ ...environment, production: false } as ServiceEnvironment, log);
    expect(lines).to.deep.equal([]);
    warnOfPlaintext({ ...environment, production: true } as ServiceEnvironment, log);
    expect(lines[0]?.[0]).to.deep.equal({ stores: ['PostgreSQL', 'Redis'] });
    expect(JSON.stringify(lines)).not.to.include('hunter2');
  });
});

import { expect } from 'chai';
import { parseRedisUrl } from '../src/service/redis-address.ts';
import { DatabaseUnavailable } from '../src/sql/database.ts';

describe('REDIS_URL', () => {
  for (const { url, address } of [
    {
      url: 'redis://127.0.0.1:6390',
      address: { topology: 'single', tls: false, nodes: [{ host: '127.0.0.1', port: 6390 }] },
    },
    {
      url: 'rediss://cls:p%40ss@cache.example/2',
      address: {
        topology: 'single',
        tls: true,
        nodes: [{ host: 'cache.example', port: 6379 }],
        username: 'cls',
        password: 'p@ss',
        db: 2,
      },
    },
    {
      url: 'redis+sentinel://:secret@s1.example:26379,s2.example/main/1',
      address: {
        topology: 'sentinel',
        tls: false,
        nodes: [
          { host: 's1.example', port: 26379 },
          { host: 's2.example', port: 26379 },
        ],
        password: 'secret',
        master: 'main',
        db: 1,
      },
    },
    {
      url: 'redis+cluster://[::1]:7000,c2.example:7001',
      address: {
        topology: 'cluster',
        tls: false,
        nodes: [
          { host: '::1', port: 7000 },
          { host: 'c2.example', port: 7001 },
        ],
      },
    },
  ]) {
    it(`names a ${address.topology} Redis: ${url.replace(/:[^/@]*@/, ':…@')}`, () => {
      expect(parseRedisUrl(url)).to.deep.equal(address);
    });
  }

  for (const url of [
    'redis+sentinel://s1.example:26379',
    'redis://',
    'http://127.0.0.1',
    'redis://127.0.0.1/main',
    'redis://127.0.0.1:66379',
    'redis://cls:100%@127.0.0.1',
  ]) {
    it(`is refused as ${url}`, () => {
      expect(() => parseRedisUrl(url)).to.throw(DatabaseUnavailable, /^REDIS_URL/);
    });
  }
});

import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect } from 'chai';
import { clientAddress } from '../src/http/client-address.ts';

describe('the address of a caller', () => {
  for (const { what, forwarded, peer = '192.0.2.1', hops, address } of [
    { what: 'is the peer’s without proxies', hops: 0, address: '192.0.2.1' },
    {
      what: 'is the peer’s, whatever it claims',
      forwarded: '1.2.3.4',
      hops: 0,
      address: '192.0.2.1',
    },
    { what: 'is what one proxy saw', forwarded: '203.0.113.7', hops: 1, address: '203.0.113.7' },
    {
      what: 'is what one proxy saw, whatever the caller sent before',
      forwarded: '1.2.3.4, 203.0.113.7',
      hops: 1,
      address: '203.0.113.7',
    },
    {
      what: 'is what the outer of two proxies saw',
      forwarded: '1.2.3.4, 203.0.113.7, 10.0.0.1',
      hops: 2,
      address: '203.0.113.7',
    },
    {
      what: 'is the peer’s when fewer proxies spoke than are trusted',
      forwarded: '10.0.0.1',
      hops: 2,
      address: '192.0.2.1',
    },
    {
      what: 'is IPv4 when it came mapped',
      peer: '::ffff:192.0.2.9',
      hops: 0,
      address: '192.0.2.9',
    },
    {
      what: 'is IPv4 when a proxy saw it mapped',
      forwarded: '::ffff:203.0.113.7',
      hops: 1,
      address: '203.0.113.7',
    },
    {
      what: 'is without the port that a proxy writes beside it',
      forwarded: '203.0.113.7:49152',
      hops: 1,
      address: '203.0.113.7',
    },
    {
      what: 'is IPv6 without brackets and port',
      forwarded: '[2001:db8::1]:49152',
      hops: 1,
      address: '2001:db8::1',
    },
    { what: 'may be IPv6', forwarded: '2001:db8::1', hops: 1, address: '2001:db8::1' },
  ]) {
    it(what, () => {
      const socket = new Socket();
      Object.defineProperty(socket, 'remoteAddress', { value: peer });
      const request = new IncomingMessage(socket);
      if (forwarded !== undefined) request.headers['x-forwarded-for'] = forwarded;
      expect(clientAddress(request, hops)).to.equal(address);
    });
  }
});

import { expect } from 'chai';
import { addressSubject } from '../src/throttle/guess.ts';

describe('failures from an address', () => {
  for (const { address, id } of [
    { address: '192.0.2.1', id: '192.0.2.1' },
    { address: '2001:db8:1:2:3:4:5:6', id: '2001:db8:1:2::/64' },
    { address: '2001:db8:1:2::1', id: '2001:db8:1:2::/64' },
    { address: '2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', id: '2001:db8:1:2::/64' },
    { address: '2001:db8::1', id: '2001:db8:0:0::/64' },
    { address: 'fe80::1%eth0', id: 'fe80:0:0:0::/64' },
    { address: '::1', id: '0:0:0:0::/64' },
    { address: '', id: '' },
  ]) {
    it(`of ${address || 'nobody'} count against ${id || 'nobody'}`, () => {
      expect(addressSubject(address)).to.deep.equal({ kind: 'address', id });
    });
  }
});

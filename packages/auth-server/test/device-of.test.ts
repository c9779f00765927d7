import { expect } from 'chai';
import { deviceOf } from '../src/web/browser.ts';

const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)';
const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

describe('the device of a User-Agent', () => {
  for (const [userAgent, device] of [
    [`${WINDOWS} ${WEBKIT} Chrome/143.0.0.0 Safari/537.36`, ['Chrome', 'Windows']],
    [`${WINDOWS} ${WEBKIT} Chrome/143.0.0.0 Safari/537.36 Edg/143.0.0.0`, ['Edge', 'Windows']],
    [
      'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0',
      ['Firefox', 'Linux'],
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15',
      ['Safari', 'macOS'],
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/143.0 Mobile/15E148 Safari/604.1',
      ['Chrome', 'iPhone'],
    ],
    [
      `Mozilla/5.0 (Linux; Android 16; SM-S931B) ${WEBKIT} SamsungBrowser/29.0 Chrome/136.0 Mobile Safari/537.36`,
      ['Samsung Internet', 'Android'],
    ],
    ['curl/8.16.0', []],
    ['', []],
    [undefined, []],
    [`${'('.repeat(100_000)} Firefox/1`, []],
  ] as const) {
    it(`is ${device.join(' on ') || 'unknown'} for ${(userAgent ?? 'none').slice(0, 60)}`, () => {
      const [browser, system] = device;
      expect(deviceOf(userAgent)).to.deep.equal({
        ...(browser && { browser }),
        ...(system && { system }),
      });
    });
  }
});

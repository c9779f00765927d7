import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from '@cls/shared/environment';
import { anyEngine } from '@cls/testing/engines';
import { temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import { CONTRAST_MIN, contrastOf } from '../src/brand/brand.ts';
import { parseConfig } from '../src/config.ts';
import { readAssets } from '../src/web/assets.ts';
import { startTestAuthServer, type TestAuthServer } from './support/auth-server.ts';
import { Browser } from './support/relying-party.ts';

const LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>';

describe('an operator’s own name, colour and logo', () => {
  let server: TestAuthServer;
  const logo = join(temporaryDirectory('cls-brand-'), 'logo.svg');
  before(async () => {
    writeFileSync(logo, LOGO);
    server = await startTestAuthServer(anyEngine, {
      ...{ BRAND_NAME: 'Lindholm Loans', BRAND_COLOUR: '#7B1FA2', BRAND_LOGO: logo },
    });
  });
  after(() => server?.stop());

  const faultsOf = (env: Record<string, string>) => {
    try {
      parseConfig({ ISSUER: 'http://localhost:1', ...env });
      return [];
    } catch (error) {
      if (error instanceof ConfigurationError) return error.faults;
      throw error;
    }
  };

  it('stand on every page in place of the product’s, in each language', async () => {
    for (const language of ['en', 'de']) {
      const { response } = await new Browser().follow(`${server.issuer}/account?lang=${language}`);
      const text = await response.text();
      expect(text).to.include('Lindholm Loans').and.not.include('CLS');
      const [, styles = ''] = /href="([^"]*brand[^"]*\.css)"/.exec(text) ?? [];
      const css = await (await fetch(new URL(styles, server.issuer))).text();
      expect(css).to.include('--accent:#7b1fa2');
      const [, picture = ''] = /<img class="mark" src="([^"]*)" alt="">/.exec(text) ?? [];
      const shown = await fetch(new URL(picture, server.issuer));
      expect(await shown.text()).to.equal(LOGO);
      expect(shown.headers.get('content-security-policy')).to.include('sandbox');
    }
    expect(server.config.mailFrom).to.match(/^Lindholm Loans </);
  });

  it('are refused at the start, with what to do, where a colour is too light to read', () => {
    const [fault, ...others] = faultsOf({ BRAND_COLOUR: '#ffcc00' });
    expect(fault).to.match(/^BRAND_COLOUR: too light: its contrast with the pages is 1\.\d\d/);
    expect(fault).to.include('at least 4.5').and.include('take a darker one');
    expect(others).to.deep.equal([]);
    expect(faultsOf({ BRAND_COLOUR: 'red' })[0]).to.include('#1d4f91');
    expect(faultsOf({ BRAND_NAME: 'a<b' })[0]).to.match(/^BRAND_NAME: /);
    expect(faultsOf({ BRAND_COLOUR: '#1d4f91' })).to.deep.equal([]);
    expect(contrastOf('#000000')).to.be.greaterThan(CONTRAST_MIN);
  });

  it('are refused where the logo is no picture, or too large', () => {
    const refused = (file: string) => () => readAssets({ logo: file });
    expect(refused('/nowhere/logo.svg')).to.throw(ConfigurationError, 'cannot be read');
    expect(refused('/etc/passwd')).to.throw(ConfigurationError, '.svg or a .png');
    const large = logo.replace('logo.svg', 'large.png');
    writeFileSync(large, Buffer.alloc(70_000));
    expect(refused(large)).to.throw(ConfigurationError, 'larger than');
  });
});

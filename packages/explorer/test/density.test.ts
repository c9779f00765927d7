import { expect } from 'chai';
import type { Person } from './support/person.ts';
import { linkNamed } from './support/reading.ts';
import { FULL, type Services, sharedServices } from './support/services.ts';

describe('how high rows are', () => {
  let services: Services;
  let person: Person;
  let address: string;
  before(async () => {
    services = await sharedServices();
    person = await services.person(FULL);
    const { url } = await person.signIn('/deals?currency=USD&sort=-outstanding');
    address = `${url.pathname}${url.search}`;
  });
  const shown = (html: string) => /<html [^>]*class="([^"]*)"/.exec(html)?.[1] ?? 'comfortable';

  it('is the reader’s choice, at the same address, on every page from then on', async () => {
    const first = await person.open(address);
    expect(shown(first.html)).to.equal('comfortable');
    const link = linkNamed(first.html, 'compact') ?? '';
    const chosen = await person.open(link);
    expect(`${chosen.url.pathname}${chosen.url.search}`).to.equal(address);
    expect(shown(chosen.html)).to.equal('compact');
    const portfolio = await person.open('/portfolio');
    expect(shown(portfolio.html)).to.equal('compact');
    expect(portfolio.html).not.to.match(/name="density"/);
    const back = await person.open(linkNamed(portfolio.html, 'comfortable') ?? '');
    expect(back.url.pathname).to.equal('/portfolio');
    expect(shown(back.html)).to.equal('comfortable');
  });

  it('is kept for a year in a cookie that scripts cannot read', async () => {
    const response = await person.send('/portfolio?density=compact');
    const line = response.headers.getSetCookie().find((one) => one.includes('_density=compact'));
    expect(line)
      .to.match(/HttpOnly/i)
      .and.match(/SameSite=Lax/i);
    const [, expires = ''] = /expires=([^;]*)/i.exec(line ?? '') ?? [];
    expect(Date.parse(expires) - Date.now()).to.be.within(364 * 86_400_000, 366 * 86_400_000);
  });

  it('stays each reader’s own where two open one address', async () => {
    await person.open('/portfolio?density=compact');
    const { url } = await person.open('/deals');
    const other = await services.person(FULL);
    expect(shown((await other.signIn(url.href)).html)).to.equal('comfortable');
  });

  it('is one of two, and leads to no other site', async () => {
    person.forget('cls_explorer_density');
    for (const density of ['huge', '__proto__', '']) {
      const { html } = await person.open(`/deals?density=${density}`);
      expect(shown(html), density).to.equal('comfortable');
    }
    person.plant('cls_explorer_density', 'huge');
    expect(shown((await person.open('/deals')).html)).to.equal('comfortable');
    const elsewhere = await person.send(`${services.url}//elsewhere.example?density=compact`);
    expect(elsewhere.status).to.equal(404);
    expect(elsewhere.headers.get('location')).to.equal(null);
  });

  it('has words in German, and is not offered where there are no rows', async () => {
    const { html } = await person.open('/deals?lang=de');

    expect(linkNamed(html, 'eng')).to.include('density=compact');
    expect((await person.open('/signed-out')).html).not.to.include('density=');
    await person.open('/deals?lang=en');
  });
});

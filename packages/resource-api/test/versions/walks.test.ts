import { anyEngine } from '@cls/testing/engines';
import { expect } from 'chai';
import { productVersions } from '../../src/compose.ts';
import type { Release } from '../../src/lifecycle/release.ts';
import { RELEASES } from '../../src/versions/releases.ts';
import { importWorldBank, statement } from '../support/book.ts';
import { startVersionedApi, testClock, timesOf, type VersionedApi } from './support.ts';
import { V2, withV2 } from './v2/index.ts';

const loans = ['A', 'B', 'C', 'D', 'E'].map((number) => ({
  'Loan Number': number,
  'Disbursed Amount': '100',
  'Original Principal Amount': '100',
  'Due to IBRD': '100',
  "Borrower's Obligation": '100',
  'Loans Held': '100',
}));

describe('a walk over pages that a new version meets', () => {
  const clock = testClock('2027-02-01T00:00:00Z');
  let api: VersionedApi;
  before(async () => {
    api = await startVersionedApi(anyEngine, clock, productVersions);
    await importWorldBank(api.database, statement('01/31/2025', loans));
  });
  beforeEach(() => {
    api.serve(withV2([RELEASES[0] as Release, V2]));
    clock.set('2027-02-01T00:00:00Z');
  });
  after(() => api?.stop());

  const get = async (version: string, query: string, headers = {}) => {
    const path = `/api/${version}/cls/balances?${query}`;
    const response = await api.getWith(path, await api.token(timesOf(clock)), headers);
    const text = await response.text();
    const { status } = response;
    const etag = response.headers.get('etag') ?? '';
    const served = response.headers.get('api-version');
    return { status, text, etag, served, link: response.headers.get('link') };
  };
  const cursorOf = ({ text }: { text: string }) => JSON.parse(text).page.nextCursor as string;
  const codeOf = ({ text }: { text: string }) => JSON.parse(text).code as string;

  it('goes on in its own version, whatever latest has become', async () => {
    const first = await get('latest', 'limit=2');
    const cursor = cursorOf(first);
    const next = await get('latest', `limit=2&cursor=${cursor}`);
    clock.set('2027-03-01T00:00:00Z');
    const refused = await get('latest', `limit=2&cursor=${cursor}`);
    expect([refused.status, codeOf(refused)]).to.deep.equal([400, 'cursor_mismatch']);
    expect(refused.text).to.include('continue it at /api/v1');
    const again = await get('v1', `limit=2&cursor=${cursor}`);
    expect([again.status, again.text, again.etag]).to.deep.equal([200, next.text, next.etag]);
  });

  it('of the new version is refused by the old one', async () => {
    const cursor = cursorOf(await get('v2', 'limit=2&level=facility'));
    expect((await get('v2', `limit=2&cursor=${cursor}`)).status).to.equal(200);
    const refused = await get('v1', `limit=2&cursor=${cursor}`);
    expect([refused.status, codeOf(refused)]).to.deep.equal([400, 'cursor_mismatch']);
  });

  it('begun before the new version was there goes on with the same bytes, page by page', async () => {
    const walk = async (before: () => void) => {
      const pages: string[] = [];
      let query = 'limit=2&fields=global.total,deal';
      for (let cursor: string | undefined; pages.length < 3; query = `limit=2&cursor=${cursor}`) {
        const page = await get('v1', query);
        pages.push(page.text);
        cursor = JSON.parse(page.text).page.nextCursor ?? undefined;
        before();
        if (cursor === undefined) break;
      }
      return pages;
    };
    api.serve(productVersions);
    const alone = await walk(() => undefined);
    expect(alone).to.have.length(3);
    api.serve(productVersions);
    const met = await walk(() => api.serve(withV2([RELEASES[0] as Release, V2])));
    expect(met).to.deep.equal(alone);
  });

  it('is refused with a question beside the cursor that is not its own, as before', async () => {
    const query = 'limit=2&country=IN';
    const cursor = cursorOf(await get('v1', query));
    expect((await get('v1', `${query}&cursor=${cursor}`)).status).to.equal(200);
    const other = await get('v1', `limit=2&country=FR&cursor=${cursor}`);
    expect([other.status, codeOf(other)]).to.deep.equal([400, 'cursor_mismatch']);
    const again = await get('v1', `limit=2&country=FR&cursor=${cursor}`);
    expect(again.text.replace(/"requestId":"[^"]*"/, '')).to.equal(
      other.text.replace(/"requestId":"[^"]*"/, ''),
    );
  });

  it('has a validator of its version: a promotion answers 200, not 304', async () => {
    const query = 'limit=2&level=facility';
    const { etag } = await get('latest', query);
    expect((await get('latest', query, { 'if-none-match': etag })).status).to.equal(304);
    clock.set('2027-03-01T00:00:00Z');
    const promoted = await get('latest', query, { 'if-none-match': etag });
    expect([promoted.status, promoted.served]).to.deep.equal([200, 'v2']);
    expect((await get('v1', query, { 'if-none-match': etag })).status).to.equal(304);
  });

  it('names its own version in links: the next page, and the postings behind a balance', async () => {
    for (const version of ['v1', 'v2']) {
      const page = await get(version, 'limit=2&level=facility');
      expect(page.link).to.match(new RegExp(`^</api/${version}/cls/balances\\?limit=2&cursor=`));
      expect(JSON.parse(page.text).meta.apiVersion).to.equal(version);
      const path = `/api/${version}/cls/balances/principal?limit=1`;
      const token = await api.token(timesOf(clock));
      const body = (await (await api.getWith(path, token)).json()) as {
        data: { links: { movements: string } }[];
      };
      expect(body.data[0]?.links.movements).to.match(new RegExp(`^/api/${version}/`));
    }
  });
});

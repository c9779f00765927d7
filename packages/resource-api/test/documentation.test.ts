import { readdirSync, readFileSync } from 'node:fs';
import { FAULT_CODES, PROBLEM_CODES } from '@cls/shared/http/problem-codes';
import { anyEngine } from '@cls/testing/engines';
import { expect } from 'chai';
import { coloured } from '../src/documentation/colours.ts';
import { readContent } from '../src/documentation/content.ts';
import { operationsOf } from '../src/documentation/contract-reader.ts';
import { RELEASES } from '../src/versions/releases.ts';
import { v1Contract } from '../src/versions/v1/contract.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { ISSUER } from './support/issuer.ts';
import { crawl, linksOf, type Visited } from './support/site.ts';

describe('/docs', () => {
  let api: TestApi;
  let site: ReadonlyMap<string, Visited>;
  before(async () => {
    api = await startTestApi(anyEngine);
    site = await crawl(api.baseUrl, ISSUER);
  });
  after(() => api?.stop());

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${api.baseUrl}${path}`, { headers, method });
  const textOf = (path: string) => site.get(path)?.text ?? '';
  const pages = () => [...site].filter(([, { type }]) => type.startsWith('text/html'));

  it('answers without a token, with a page for people', async () => {
    const answer = await get('/docs');
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(await answer.text()).to.include('<h1>CLS documentation</h1>');
  });

  it('has no dead link and no dead anchor, and links to every page that it has', () => {
    const dead = pages().flatMap(([path, { links, ids }]) =>
      links.flatMap(({ path: to, anchor }) => {
        const target = to === path ? { status: 200, ids } : site.get(to);
        const alive = target?.status === 200 && (anchor === '' || target.ids.has(anchor));
        return alive ? [] : [`${path} → ${to}${anchor && `#${anchor}`}`];
      }),
    );
    expect(dead).to.deep.equal([]);
    const reached = [...site.keys()];
    const { pages: documents, files } = readContent();
    expect(reached).to.include.members(documents.map(({ path }) => path));
    expect(reached).to.include.members(Object.keys(files));
  });

  it('links to the contract of each API from its first page and from the reference', () => {
    for (const path of ['/docs', '/docs/v1']) {
      expect(textOf(path))
        .to.include('href="/oauth/openapi.json"')
        .and.include('href="/admin/v1/openapi.json"');
    }
  });

  it('gives each page one heading, ids that are unique, a language and a title of its own', () => {
    const titles = pages().map(([path, { text }]) => {
      expect(text.match(/<h1>/g), path).to.have.length(1);
      expect(text, path).to.include('<html lang="en">');
      const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
      expect(ids, path).to.have.length(new Set(ids).size);
      return /<title>([^<]+)<\/title>/.exec(text)?.[1];
    });
    expect(titles).to.have.length(new Set(titles).size);
  });

  it('asks nothing of another host: no style, script, image or form of one, nothing inline', () => {
    for (const [path, { text, policy }] of pages()) {
      expect(policy, path).to.include("default-src 'none'").and.not.include('unsafe');
      expect(text, path).not.to.match(
        /<(style|iframe|object|embed|base|img)\b|<script(?! type="module" src="\/docs\/)/,
      );
      expect(text, path).not.to.match(
        /\s(style|on\w+)="|<(link|script)[^>]+(href|src)="(?!\/docs\/)/,
      );
    }
  });

  it('names no package that a registry could give to a stranger', () => {
    for (const [path, { text }] of site) expect(text, path).not.to.include('@cls/client');
  });

  it('is asked for again with a validator, and is sent compressed', async () => {
    const first = await get('/docs/v1/fields', { 'accept-encoding': 'identity' });
    const etag = first.headers.get('etag') ?? '';
    expect((await get('/docs/v1/fields', { 'if-none-match': etag })).status).to.equal(304);
    const packed = await get('/docs/v1/fields', { 'accept-encoding': 'br' });
    expect(packed.headers.get('content-encoding')).to.equal('br');
    expect(await packed.text()).to.equal(await first.text());
    expect(first.headers.get('cache-control')).to.equal('public, max-age=300');
  });

  it('shows the version behind latest, in place', async () => {
    const latest = await get('/docs/latest');
    expect(latest.headers.get('content-location')).to.equal('/docs/v1');
    expect(await latest.text()).to.equal(textOf('/docs/v1'));
  });

  it('tells a browser by a page that there is nothing, and a program by a problem', async () => {
    const browser = await get('/docs/errors/nothing', { accept: 'text/html,*/*' });
    expect(browser.status).to.equal(404);
    expect(await browser.text()).to.include('<h1>There is no such page</h1>');
    const program = await get('/docs/v9');
    expect(program.status).to.equal(404);
    expect(await program.json()).to.include({ type: `${ISSUER}/docs/errors/not_found` });
    const posted = await get('/docs', {}, 'POST');
    expect([posted.status, posted.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD']);
    const head = await get('/docs', {}, 'HEAD');
    expect([head.status, await head.text()]).to.deep.equal([200, '']);
  });

  it('has at most 4 kB of scripts', async () => {
    const scripts = await Promise.all(
      ['copy.js', 'try-it.js'].map(async (name) => (await get(`/docs/assets/${name}`)).text()),
    );
    expect(scripts.join('').length).to.be.lessThan(4_096);
  });

  it('never answers with a page of 60 KB or more, compressed', async () => {
    for (const path of [
      ...['/docs/v1/fields', '/docs/v1/operations/listBalances', '/docs/api'],
      '/docs/search?q=a',
    ]) {
      const zipped = await get(path, { 'accept-encoding': 'br' });
      expect(Number(zipped.headers.get('content-length')), path).to.be.lessThan(60_000);
    }
  });

  it('colours code by classes alone, without a change of its text', () => {
    const shown = textOf('/docs/quickstarts/python');
    expect(shown)
      .to.include('<span class="keyword">import</span> requests')
      .and.not.match(/<span style/);
    const program = textOf('/docs/files/quickstarts/balances.py').trimEnd();
    expect(unescaped(shown)).to.include(program);
    const docstring = '"""a\nfor # b"""';
    expect(coloured(docstring, 'py').toString()).to.match(/^<span class="string">[^<]*<\/span>$/);
    const errors = textOf('/docs/errors/rate_limited');
    expect(errors).to.include('<span class="name">&quot;code&quot;</span>');
  });

  describe('the search', () => {
    const search = async (query: string) => {
      const answer = await get(`/docs/search?q=${encodeURIComponent(query)}`);
      expect(answer.status).to.equal(200);
      const text = await answer.text();
      return { text, found: linksOf(/<ol class="results">[\s\S]*<\/ol>/.exec(text)?.[0] ?? '') };
    };

    it('finds guides, errors, operations and fields, by their titles first', async () => {
      for (const [query, path] of [
        ['rate_limited', '/docs/errors/rate_limited'],
        ['quick start python', '/docs/quickstarts/python'],
        ['posted file became', '/docs/v1/operations/getImport'],
        ['lenders share balance', '/docs/v1/operations/listBalances'],
        ['BalanceFields', '/docs/v1/fields'],
      ] as const) {
        const { found } = await search(query);
        expect(
          found.map((one) => one.path),
          query,
        ).to.include(path);
      }
      expect((await search('rate_limited')).found[0]?.path).to.equal('/docs/errors/rate_limited');
    });

    it('leads to places that exist', async () => {
      const { found } = await search('limit');
      expect(found.length).to.be.greaterThan(10);
      const dead = found.filter(({ path, anchor }) => {
        const target = site.get(path);
        return target === undefined || (anchor !== '' && !target.ids.has(anchor));
      });
      expect(dead).to.deep.equal([]);
    });

    it('shows what was asked, escaped, and says what to do where nothing is found', async () => {
      const { text, found } = await search('<script>"x"');
      expect(found).to.deep.equal([]);
      expect(text)
        .to.include('value="&lt;script&gt;&quot;x&quot;"')
        .and.include('Try fewer words')
        .and.not.include('<script>"');
      expect((await search('')).text).to.include('Type a word');
    });
  });

  describe('the errors', () => {
    const listed = () =>
      linksOf(textOf('/docs/errors')).flatMap(
        ({ path }) => /^\/docs\/errors\/(\w+)$/.exec(path)?.[1] ?? [],
      );

    it('have a page for each code that a problem can have, and no other', () => {
      const codes = [...PROBLEM_CODES, ...FAULT_CODES].sort();
      expect([...new Set(listed())].sort()).to.deep.equal(codes);
      for (const code of codes) expect(site.get(`/docs/errors/${code}`)?.status).to.equal(200);
    });

    it('are all in the sources: no page speaks of a code that nothing answers', () => {
      const sources = sourcesOf(['auth-server', 'resource-api', 'shared']);
      const unused = [...PROBLEM_CODES, ...FAULT_CODES].filter(
        (code) => !sources.includes(`'${code}'`) && !sources.includes(`"code":"${code}"`),
      );
      expect(unused).to.deep.equal([]);
    });

    it('are all of the codes that the contracts promise', () => {
      const promised = JSON.stringify(v1Contract()).matchAll(/"x-codes":\[([^\]]+)\]/g);
      const codes = [...promised].flatMap(([, list]) => JSON.parse(`[${list}]`) as string[]);
      expect(PROBLEM_CODES).to.include.members(codes);
    });

    it('say what happened, what to do, whether to send again, and show a problem with the code', () => {
      for (const code of [...PROBLEM_CODES, ...FAULT_CODES]) {
        const text = textOf(`/docs/errors/${code}`);
        expect(text, code).to.include('Send the same request again</dt>');
        expect(text, code).to.include('<strong>What to do.</strong>');
        const [, shown = ''] =
          /<h2 id="example">.*?<pre[^>]*><code>(.*?)<\/code>/s.exec(text) ?? [];
        const problem = JSON.parse(unescaped(shown));
        const codes = [problem.code, ...(problem.errors ?? []).map((one: Problem) => one.code)];
        expect(codes, code).to.include(code);
        expect(problem.type, code).to.equal(`${ISSUER}/docs/errors/${problem.code}`);
        expect(text, code).to.match(new RegExp(`<dt>Status</dt><dd>[^<]*\\b${problem.status}\\b`));
      }
    });

    it('quote titles that the services answer with', () => {
      const sources = sourcesOf(['auth-server', 'resource-api', 'shared']);
      for (const code of PROBLEM_CODES) {
        const text = unescaped(textOf(`/docs/errors/${code}`));
        const [, title = '?'] = /"title": "([^"]+)"/.exec(text) ?? [];
        const quoted = sources.includes(`'${title}'`) || sources.includes(`"title":"${title}"`);
        expect(quoted, `${code}: ${title}`).to.equal(true);
      }
    });

    it('are where the type of a problem leads', async () => {
      const refused = await get('/api/v1/cls/balances');
      const { type } = (await refused.json()) as { type: string };
      const page = await get(type.replace(ISSUER, ''));
      expect(page.status).to.equal(200);
      expect(await page.text()).to.include('<h1>missing_token</h1>');
    });
  });

  describe('the reference', () => {
    it('has each operation with its parameters, permissions, codes and recorded answers', () => {
      for (const one of operationsOf(v1Contract())) {
        const text = textOf(`/docs/v1/operations/${one.id}`);
        expect(text, one.id).to.include(`${one.method} ${ISSUER}/api/v1${one.path}`);
        for (const { name } of one.parameters) expect(text, name).to.include(`<dt><code>${name}<`);
        for (const name of one.permissions) expect(text).to.include(`${ISSUER}/auth/${name}`);
        expect(text, one.id).to.include('<h2 id="examples">');
        expect(text, one.id).to.match(/href="\/docs\/errors\/\w+"/);
        expect(text, one.id).to.include('<pre tabindex="0" id="try-command">');
      }
    });

    it('lists all operations by tag beside each of its pages, and marks the one that is shown', () => {
      const pages = ['/docs/v1', '/docs/v1/fields', '/docs/v1/operations/getDeal'];
      for (const path of pages) {
        const [side = ''] = /<nav class="side"[\s\S]*?<\/nav>/.exec(textOf(path)) ?? [];
        const listed = linksOf(side).map((link) => link.path);
        for (const { id } of operationsOf(v1Contract())) {
          expect(listed, path).to.include(`/docs/v1/operations/${id}`);
        }
        expect(side).to.include('<h2>Balances</h2>').and.include('<h2>Imports</h2>');
        expect(side).to.include(`href="${path}" aria-current="page"`);
      }
    });

    it('explains each field of each object in words', () => {
      const text = textOf('/docs/v1/fields');
      for (const name of Object.keys(v1Contract().components.schemas)) {
        expect(text, name).to.include(`<h2 id="${name}">`);
      }
      const silent = [
        ...text.matchAll(/<dt><code>([^<]+)<\/code>(?:(?!<\/dt>).)*<\/dt>\s*<dd>\s*<\/dd>/gs),
      ];
      expect(silent.map(([, name]) => name)).to.deep.equal([]);
    });

    it('shows the status of versions as the registry has it, where Deprecation leads', () => {
      for (const path of ['/docs', '/docs/versioning']) {
        expect(textOf(path)).to.include('today v1').and.include('no end is planned');
      }
      const released = RELEASES.filter(({ releasedAt }) => Date.parse(releasedAt) <= Date.now());
      for (const { id } of released) {
        expect(site.get(`/docs/${id}/changes`)?.status, id).to.equal(200);
      }
    });

    it('leaves out of the changelog what operators alone notice', () => {
      const text = textOf('/docs/changelog');
      expect(text)
        .to.include('id="030"')
        .and.not.match(/<li>(<p>)?Operators/);
    });
  });
});

interface Problem {
  readonly code: string;
}

function sourcesOf(packages: readonly string[]): string {
  const root = new URL('../../../../', import.meta.url);
  const files = packages.flatMap((name) => {
    const folder = new URL(`packages/${name}/src/`, root);
    return (
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        // Without the lists of codes: what answers with one counts.
        .filter(
          (file) => file.endsWith('.ts') && !/(problem-codes|contract-errors)\.ts$/.test(file),
        )
        .map((file) => new URL(file, folder))
    );
  });
  const others = ['deploy/nginx.conf', 'scripts/gateway.mjs'].map((file) => new URL(file, root));
  return [...files, ...others].map((file) => readFileSync(file, 'utf8')).join('\n');
}

function unescaped(text: string): string {
  return text
    .replaceAll(/<\/?span[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

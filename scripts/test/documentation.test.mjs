// What scripts/documentation.mjs makes of Markdown, of the errors and of recordings.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { errorEntries } from '../documentation/errors.mjs';
import { examplesOf } from '../documentation/examples.mjs';
import { markdownPages } from '../documentation/markdown.mjs';

describe('a document on its way to /docs', () => {
  const render = markdownPages({
    pathOf: (file) =>
      ({ 'docs/reference/tokens.md': '/docs/tokens', 'docs/a/x.py': '/docs/files/a/x.py' })[file],
    include: () => ({ text: 'print("<b>")\n' }),
  });
  const htmlOf = (text, file = 'docs/reference/api.md') => render(file, text).html;

  it('leads to pages that are served, and names what is not as text', () => {
    expect(htmlOf('[a](tokens.md#using-one)')).to.include('<a href="/docs/tokens#using-one">a</a>');
    expect(htmlOf('[b](../packages/x.ts)')).to.equal('<p>b</p>\n');
    expect(htmlOf('[c](#here) [d](https://a.example/?a=1&b=2)')).to.equal(
      '<p><a href="#here">c</a> <a href="https://a.example/?a=1&amp;b=2">d</a></p>\n',
    );
  });

  it('lets no markup, and no address that runs a script, through', () => {
    expect(htmlOf('a <script>alert(1)</script> <img src=x onerror=y>')).not.to.match(
      /<(script|img)/,
    );
    expect(htmlOf('[e](javascript:alert(1))')).to.equal('<p>e</p>\n');
    expect(htmlOf('`<b>` & "c"')).to.include('<code>&lt;b&gt;</code> &amp;');
  });

  it('has the anchors of GitHub, each once, and its first heading as the title', () => {
    const { title, html, headings } = render(
      'docs/reference/api.md',
      '# The API\n\n## `GET …/cls`: a & b\n\n## Twice\n\n## Twice\n',
    );
    expect(title).to.equal('The API');
    expect(html).not.to.include('<h1');
    expect(headings.map(({ id }) => id)).to.deep.equal(['get-cls-a--b', 'twice', 'twice-1']);
  });

  it('shows a program as its file has it, with classes for colours', () => {
    const html = htmlOf('[x.py](x.py "include")', 'docs/a/page.md');
    expect(html).to.include('<a href="/docs/files/a/x.py">x.py</a>');
    expect(html).to.include(
      '<code>print(<span class="string">&quot;&lt;b&gt;&quot;</span>)</code>',
    );
  });
});

describe('the errors on their way to /docs', () => {
  it('have facts, a text and an example', () => {
    const text =
      '# E\n\n## `a_b`\n\n*Status 413, 431. Send again: yes, after `X`.*\n\nWhy.\n\n```json\n{"code":"a_b"}\n```\n';
    expect(errorEntries(text)).to.deep.equal([
      {
        code: 'a_b',
        statuses: [413, 431],
        sendAgain: true,
        how: 'after `X`',
        example: '{"code":"a_b"}',
        text: 'Why.',
      },
    ]);
  });

  it('are refused where one does not say whether to send again', () => {
    expect(() => errorEntries('## `a_b`\n\nWhy.\n')).to.throw('a_b needs *Status');
  });
});

describe('recordings on their way to /docs', () => {
  it('are the shortest of each kind, by the path of the contract, and one for each code', () => {
    const folder = mkdtempSync(join(tmpdir(), 'cls-documentation-'));
    const recording = (below, query, body, more = {}) => ({
      ...{ name: '', path: `${below}${query}`, below, status: 200 },
      ...{ answered: { 'content-type': 'application/json; charset=utf-8' }, body },
      ...more,
    });
    const problem = { status: 400, answered: { 'content-type': 'application/problem+json' } };
    try {
      writeFileSync(
        join(folder, 'all.json'),
        JSON.stringify([
          recording('/a', '?limit=9', '{"data":[1,2]}'),
          recording('/a', '', '{"data":[1]}'),
          recording('/a', '?x=1', '{"data":[]}'),
          recording('/a', '?mine', '{"data":[]}', { customer: 'somebody' }),
          recording('/a/b_1', '', '{"data":{}}'),
          recording('/a', '?y', '{"code":"bad","errors":[{"code":"worse"}]}', problem),
        ]),
      );
      const written = [{ method: 'PUT', path: '/a/b_1', type: 'application/json', body: '{}' }];
      const { operations, problems } = examplesOf(folder, written, ['/a', '/a/{id}']);
      expect(operations['PUT /a/{id}']).to.deep.equal([{ title: 'An answer', ...written[0] }]);
      expect(operations['GET /a'].map(({ path }) => path)).to.deep.equal(['/a']);
      expect(operations['GET /a/{id}'].map(({ path }) => path)).to.deep.equal(['/a/b_1']);
      expect(Object.keys(problems)).to.deep.equal(['bad', 'worse']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

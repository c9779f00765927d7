import { html } from '@cls/shared/http/html';
import { forDisplay } from '@cls/shared/text';
import { expect } from 'chai';
import fc from 'fast-check';

const HOSTILE = `"><script>alert('1')</script>&`;
const ESCAPED = '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;';

describe('html template', () => {
  it('marks what would turn the text around a name, and leaves the value of a field', () => {
    const name = 'Bank\u202e\u001bknab';
    expect(html`<p>${[name]} 1.00</p>`.toString()).to.equal('<p>Bank\ufffd\ufffdknab 1.00</p>');
    expect(html`<input value="${name}">`.toString()).to.equal(`<input value="${name}">`);
  });

  it('escapes text', () => {
    expect(html`<p>${HOSTILE}</p>`.toString()).to.equal(`<p>${ESCAPED}</p>`);
  });

  it('escapes attributes', () => {
    expect(html`<input value="${HOSTILE}">`.toString()).to.equal(`<input value="${ESCAPED}">`);
  });

  it('escapes an attribute of a fragment that is put into a tag', () => {
    const attribute = html` title="${HOSTILE}"`;
    expect(html`<p${attribute}>x</p>`.toString()).to.equal(`<p title="${ESCAPED}">x</p>`);
  });

  it('leaves nothing of any text that could end a text or an attribute', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const [, attribute = '', content = ''] =
          /^<a title="([\s\S]*?)">([\s\S]*)<\/a>$/.exec(
            html`<a title="${text}">${text}</a>`.toString(),
          ) ?? [];
        expect(forDisplay(attribute)).to.equal(content);
        expect(content).not.to.match(/[<>"']/);
      }),
    );
  });

  it('keeps markup of its own, lists of it, and drops what is not there', () => {
    const items = ['a', '<b>'].map((text) => html`<li>${text}</li>`);
    expect(html`<ul>${items}${undefined}${false}${0}</ul>`.toString()).to.equal(
      '<ul><li>a</li><li>&lt;b&gt;</li>0</ul>',
    );
  });

  for (const url of ['/account?a=1&b=2', 'https://a.example/?x=%22', 'mailto:a@b.example', '#x']) {
    it(`takes ${url} as a URL`, () => {
      expect(() => html`<a href="${url}">x</a>`).not.to.throw();
    });
  }

  for (const url of [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\tscript:alert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '\\\\evil.example',
    'https:evil.example',
    'evil.example',
    '',
  ]) {
    it(`refuses ${JSON.stringify(url)} as a URL`, () => {
      expect(() => html`<a href="${url}">x</a>`).to.throw(TypeError, 'not a safe URL');
      expect(() => html`<form action="${url}"></form>`).to.throw(TypeError, 'not a safe URL');
    });
  }

  it('refuses a value in an unquoted attribute or bare in a tag', () => {
    expect(() => html`<p title=${'x'}>`).to.throw(TypeError, 'unquoted');
    expect(() => html`<p title=${html`x`}>`).to.throw(TypeError, 'unquoted');
    expect(() => html`<p ${'onclick=alert(1)'}>`).to.throw(TypeError, 'unquoted');
  });

  it('never quotes the value that it refuses', () => {
    expect(() => html`<a href="${'javascript:secret'}">`)
      .to.throw(TypeError)
      .that.satisfies((error: Error) => !error.message.includes('secret'));
  });
});

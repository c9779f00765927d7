import { expect } from 'chai';
import { contentSecurityPolicy } from '../../src/web/page.ts';

const formAction = (targets: readonly string[]) =>
  /form-action ([^;]*)/.exec(contentSecurityPolicy(targets))?.[1];

describe('content security policy of pages', () => {
  it('allows own style sheet, script and icon, and nothing inline or from elsewhere', () => {
    const policy = contentSecurityPolicy();
    expect(policy).to.include("default-src 'none'").and.include("frame-ancestors 'none'");
    expect(policy).to.include("script-src 'self';").and.include("style-src 'self';");
    expect(policy).not.to.include('unsafe');
    expect(formAction([])).to.equal("'self'");
  });

  for (const { target, source } of [
    { target: 'https://app.example/callback?x=1', source: 'https://app.example' },
    { target: 'https://app.example:8443/cb', source: 'https://app.example:8443' },
    { target: 'http://127.0.0.1:49152/cb', source: 'http://127.0.0.1:*' },
    { target: 'com.example.app:/cb', source: 'com.example.app:' },
  ]) {
    it(`lets a form end at ${target}`, () => {
      expect(formAction([target, target])).to.equal(`'self' ${source}`);
    });
  }

  for (const target of [
    'javascript:alert(1)',
    'data:text/html,x',
    'not a url',
    "'unsafe-inline'",
  ]) {
    it(`leaves out ${target}`, () => {
      expect(formAction([target])).to.equal("'self'");
    });
  }

  it('no target can add a directive', () => {
    const policy = contentSecurityPolicy([
      'https://a.example/; script-src *',
      'https://a.example,x/',
    ]);
    expect(policy.split(';')).to.have.length(contentSecurityPolicy().split(';').length);
    expect(policy).not.to.include('*').and.not.include(',');
  });
});

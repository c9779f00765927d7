import { expect } from 'chai';
import { breachesOf } from '../check-imports.mjs';

const breaches = (files) => breachesOf('auth-server', new Map(Object.entries(files)));

describe('the check of who imports whom', () => {
  it('passes folders whose arrows all run down', () => {
    const files = {
      'oauth/token/grant.ts': ['accounts/account.ts', 'library/oidc.ts'],
      'library/oidc.ts': ['oidc-provider', 'accounts/account.ts'],
      'accounts/account.ts': ['@cls/shared/clock'],
    };
    expect(breaches(files)).to.deep.equal([]);
  });

  it('names the imports that close a circle of three folders, once', () => {
    const files = {
      'accounts/account.ts': ['sessions/session.ts'],
      'sessions/session.ts': ['mail/mail.ts'],
      'mail/mail.ts': ['accounts/account.ts'],
    };
    const [circle, ...others] = breaches(files);
    expect(others).to.deep.equal([]);
    expect(circle)
      .to.include('accounts/account.ts imports sessions/session.ts')
      .and.include('sessions/session.ts imports mail/mail.ts')
      .and.include('mail/mail.ts imports accounts/account.ts');
  });

  it('lets only the root name what speaks to a database', () => {
    const files = {
      'compose.ts': ['accounts/sql-accounts.ts'],
      'accounts/sql-accounts.ts': ['accounts/account.ts'],
      'accounts/account.ts': [],
      'sessions/end.ts': ['accounts/sql-accounts.ts'],
    };
    expect(breaches(files)).to.deep.equal([
      'packages/auth-server/src/sessions/end.ts: accounts/sql-accounts.ts: core may not import adapter',
    ]);
  });

  it('keeps each library in its place, and HTTP at the edge', () => {
    const files = {
      'oauth/token/grant.ts': ['oidc-provider'],
      'accounts/account.ts': ['koa', 'commander'],
    };
    expect(breaches(files)).to.have.lengthOf(3);
  });

  it('keeps the services strangers', () => {
    const [breach] = breaches({ 'main.ts': ['@cls/resource-api/main'] });
    expect(breach).to.include('does not list resource-api for auth-server');
  });
});

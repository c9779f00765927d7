import { spawnSync } from 'node:child_process';
import { expect } from 'chai';

const NOTICES = new URL('../../src/library/reliances/console-notices.js', import.meta.url);

/** Loads the library as on a Node that it does not like. */
const SCRIPT = `
  import { logNotices } from ${JSON.stringify(NOTICES.href)};
  Object.defineProperty(process, 'release', { value: { ...process.release, lts: 'Iron' } });
  await import('oidc-provider');
  const line = (level) => (fields, message) => console.log(JSON.stringify({ level, ...fields, message }));
  logNotices({ warn: line('warn'), info: line('info') });
  console.warn('oidc-provider NOTICE: later');
  console.warn('of somebody else');
`;

describe('what the library writes to the console', () => {
  it('becomes lines of the log, also what it says while it is loaded; the rest stays', () => {
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      ['--input-type=module', '--eval', SCRIPT],
      { cwd: new URL('../../..', import.meta.url), encoding: 'utf8' },
    );
    expect(status, stderr).to.equal(0);
    const message = 'oidc-provider has a remark';
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).to.deep.equal([
      {
        level: 'warn',
        reason: 'Unsupported runtime. Use Node.js v22.x LTS, or a later LTS release.',
        message,
      },
      { level: 'warn', reason: 'later', message },
    ]);
    expect(stderr.trim()).to.equal('of somebody else');
  });
});

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { root } from '../bootstrap.mjs';

/** At most so many. Lower it when files are merged; who raises it says why in the same commit. */
const MOST = {
  // Five of them say by which secret, and where the token can be revoked.
  token: 20,
  // One is the routes of a version that write.
  // One says where tokens come from (RFC 9728), which each challenge names.
  balance: 59,
  // One is the transaction that may be rolled back, in place of an exception in each caller; one says
  // through when the books are closed, for every writer.
  // A statement of any sender: files and cells of many forms, deals with lenders, sanity, a report.
  import: 71,
  // Two are shared by all services: the headers of every answer, and how bytes of a body are gathered.
  'sign-in': 77,
};

describe('the files that a story runs', () => {
  let counts;
  before(() => {
    // V8 has one coverage a process: a test run that collects its own must not be disturbed.
    const { NODE_V8_COVERAGE: _, ...env } = process.env;
    const words = [join(root, 'scripts', 'count-story.mjs'), ...Object.keys(MOST), '--json'];
    const { status, stdout, stderr } = spawnSync(process.execPath, words, {
      env,
      encoding: 'utf8',
    });
    expect(status, stderr).to.equal(0);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    counts = new Map(lines.map((count) => [count.story, count]));
  });

  for (const [story, most] of Object.entries(MOST)) {
    it(`are at most ${most} for a ${story}`, () => {
      const { files, all } = counts.get(story);
      expect(files, Object.keys(all).join('\n')).to.be.at.most(most);
    });
  }
});

// Mocha's spec reporter, and the counts in a file for scripts/test.mjs.
const { writeFileSync } = require('node:fs');
const { reporters, Runner } = require('mocha');

module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures, pending } = this.stats;
      const file = options.reporterOptions?.file ?? options.reporterOption?.file;
      writeFileSync(file, JSON.stringify({ passed: passes, failed: failures, skipped: pending }));
      // What a failed test has left open must not keep the whole run waiting.
      if (failures > 0) setTimeout(() => process.exit(1), 10_000).unref();
    });
  }
};

// For mocha's own program (.mocharc.json): what test files share ends with it.
import { endOfTests } from '../../packages/testing/dist/src/end-of-tests.js';

export const mochaHooks = { afterAll: endOfTests };

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { postgres, requireServer } from '@cls/testing/engines';
import { EXHAUSTIVE } from '@cls/testing/exhaustive';
import { endWithTests, findBinary, postgresServer, temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import { startTestApi, type TestApi } from './support/api.ts';
import { generated, loadRecords } from './support/generated.ts';

/** Most of them cost a statement: what the tester finds, it finds early. */
const EXAMPLES = 25;
const TIME_MAX_S = EXHAUSTIVE ? 600 : 40;
/** What an answer must be. Whether each question is taken or refused, other tests check. */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
].join(',');

/** An address beyond what HTTP takes here never reaches the API, so no contract says what it answers. */
const HOOKS = `import schemathesis
from urllib.parse import urlencode

@schemathesis.hook
def filter_query(context, query):
    return not isinstance(query, dict) or len(urlencode(query, doseq=True)) < 30_000

@schemathesis.serializer("application/x-ndjson")
def lines(context, value):
    return value if isinstance(value, bytes) else str(value).encode()
`;

/** Schemathesis makes questions from the contract: good ones, and ones with everything that is odd. */
describe('questions that a property-based tester makes from the contract', () => {
  const tester = process.env['CLS_SCHEMATHESIS'] || findBinary('schemathesis');
  let api: TestApi;
  before(async function () {
    this.timeout(0);
    requireServer(this, 'PostgreSQL', await postgresServer());
    requireServer(this, 'schemathesis', tester);
    api = await startTestApi(postgres);
    const { records } = generated({ contracts: 12, years: 1, sublimits: true, seed: 15 });
    await loadRecords(api.database, records);
  });
  after(() => api?.stop());

  it('are answered as the contract says, and none with 5xx', async function () {
    this.timeout(0);
    const directory = temporaryDirectory('cls-schemathesis-');
    writeFileSync(join(directory, 'hooks.py'), HOOKS);
    const child = endWithTests(
      spawn(
        `${tester}`,
        [
          ...['run', `${api.baseUrl}/api/v1/openapi.json`, '--url', `${api.baseUrl}/api/v1`],
          ...['--header', `Authorization: Bearer ${await api.token()}`],
          ...['--phases', 'examples,coverage,fuzzing', '--checks', CHECKS],
          ...['--max-examples', `${EXAMPLES}`, '--max-time', `${TIME_MAX_S}`, '--seed', '1'],
          ...['--suppress-health-check', 'all', '--generation-database', 'none'],
          ...['--report-dir', join(directory, 'report'), '--no-color'],
        ],
        {
          cwd: directory,
          stdio: ['ignore', 'pipe', 'pipe'],
          env: { ...process.env, SCHEMATHESIS_HOOKS: 'hooks.py' },
        },
      ),
    );
    const said: string[] = [];
    child.stdout?.on('data', (part) => said.push(`${part}`));
    child.stderr?.on('data', (part) => said.push(`${part}`));
    const [code] = await once(child, 'close');
    expect(code, said.join('')).to.equal(0);
  });
});

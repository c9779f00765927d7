import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import { runWith } from './support/tool.ts';

const OLD = `openapi: 3.1.0
info: { title: Loans, version: '1' }
servers: [{ url: /api/v1 }]
paths:
  /loans:
    get:
      responses: { '204': { description: done } }
`;
const OLD_AS_JSON = {
  openapi: '3.1.0',
  info: { title: 'Loans', version: '1' },
  servers: [{ url: '/api/v1' }],
  paths: { '/loans': { get: { responses: { 204: { description: 'done' } } } } },
};
const WITH_PARAMETER = `${OLD}      parameters: [{ name: asOf, in: query, required: REQUIRED, schema: { type: string } }]\n`;

describe('cls-api contract diff', function () {
  this.timeout(120_000);
  const folder = temporaryDirectory('cls-contract-');
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const old = file('old.yaml', OLD);
  const optional = file('optional.yaml', WITH_PARAMETER.replace('REQUIRED', 'false'));
  const required = file('required.yaml', WITH_PARAMETER.replace('REQUIRED', 'true'));
  const diff = (...words: string[]) => runWith({}, 'contract', 'diff', ...words);

  it('ends with 0 where callers notice nothing', async () => {
    const same = await diff(old, file('old.json', JSON.stringify(OLD_AS_JSON)));
    expect(same).to.deep.include({ code: 0, stdout: 'No difference that callers could notice.\n' });
    const { code, stdout } = await diff(old, optional);
    expect(code).to.equal(0);
    expect(stdout).to.include('ok  GET /loans  parameter-added  /parameters/query/asOf');
    expect(stdout).to.include('0 incompatible, 1 compatible.');
  });

  it('ends with 1 and says rule, operation, place, before, after, why and what to do', async () => {
    const { code, stdout, stderr } = await diff(old, required);
    expect([code, stderr]).to.deep.equal([1, '']);
    expect(stdout).to.equal(`R4  GET /loans  (request)
    where   /parameters/query/asOf
    before  (nothing)
    after   asOf
    why     requests without asOf were complete before and are refused now
    to do   Make it optional or give it a default that the server applies, or require it in the next version.

1 incompatible (R4), 0 compatible.
`);
  });

  it('prints one JSON document with --json, whatever it finds', async () => {
    const { code, stdout } = await diff(old, required, '--json');
    const document = JSON.parse(stdout);
    expect(code).to.equal(1);
    expect(document).to.deep.include({ incompatible: 1, compatible: 0 });
    expect(document.findings[0]).to.deep.include({
      rule: 'R4',
      incompatible: true,
      operation: 'GET /loans',
      pointer: '/parameters/query/asOf',
      direction: 'request',
      after: 'asOf',
    });
    expect(document.findings[0].fingerprint).to.match(/^[0-9a-f]{16}$/);
    const same = await diff(old, old, '--json');
    expect(JSON.parse(same.stdout)).to.deep.equal({ incompatible: 0, compatible: 0, findings: [] });
  });

  it('compares two versions at different paths with --ignore-servers', async () => {
    const moved = file('moved.yaml', OLD.replace('/api/v1', '/api/v2'));
    expect((await diff(old, moved)).code).to.equal(1);
    expect((await diff(old, moved, '--ignore-servers')).code).to.equal(0);
  });

  it('ends with 2 and a sentence where a document cannot be compared', async () => {
    const wrong = file('wrong.yaml', 'a: [1\nb: 2');
    const other = file('other.yaml', 'swagger: "2.0"');
    const none = join(folder, 'none.yaml');
    for (const [words, sentence] of [
      [[none, old], `${none} cannot be read (ENOENT)\n`],
      [[old, folder], `${folder} cannot be read (EISDIR)\n`],
      [
        [old, other],
        `${other}: Swagger 2.0 is not read; convert the document to OpenAPI 3.0 or 3.1\n`,
      ],
      [
        [other, old],
        `${other}: Swagger 2.0 is not read; convert the document to OpenAPI 3.0 or 3.1\n`,
      ],
    ] as const) {
      expect(await diff(...words)).to.deep.include({ code: 2, stdout: '', stderr: sentence });
    }
    const { code, stderr } = await diff(old, wrong);
    expect(code).to.equal(2);
    expect(stderr).to.match(/wrong\.yaml: not readable as YAML: .*line \d/);
    expect((await diff(old)).code).to.equal(2);
  });
});

import { createHash, verify } from 'node:crypto';
import type { LogFault } from '@cls/shared/http/fault-log';
import { NOTHING_HERE, problems } from '@cls/shared/http/problem';
import { Refusal } from '@cls/shared/http/refusal';
import type { Log } from '@cls/shared/log';
import type { Context, Middleware } from 'koa';
import { z } from 'zod';
import { bodyTooLarge } from '../admin-api/refusals.ts';
import type { ClientSecretRecords } from '../clients/client-secret-records.ts';
import type { AnswerLeak } from '../leaks/answer-leak.ts';
import { readBody } from '../web/read-body.ts';
import type { FindScannerKey } from './scanner-keys.ts';

export interface SecretReportsDeps {
  /** Undefined where reports are not taken. */
  readonly findKey: FindScannerKey | undefined;
  readonly identify: ClientSecretRecords['identify'];
  readonly answerLeak: AnswerLeak;
  readonly issuer: string;
  readonly log: Pick<Log, 'warn'>;
  readonly logFault: LogFault;
}

const BODY_MAX_BYTES = 262_144;
const REPORTS_MAX = 1_000;

const REPORT = z.object({
  token: z.string().min(1).max(1_000),
  type: z.string().max(200),
  url: z.string().max(2_000).nullish(),
});
const REPORTS = z.array(REPORT).min(1).max(REPORTS_MAX);

/** Takes signed reports of secrets that were found in public. */
export function secretReports(deps: SecretReportsDeps): Middleware {
  const refusing = problems(deps.logFault, deps.issuer) as Middleware;
  return async (ctx) => {
    ctx.set('Cache-Control', 'no-store');
    await refusing(ctx, () => answer(deps, ctx));
  };
}

async function answer(deps: SecretReportsDeps, ctx: Context): Promise<void> {
  if (deps.findKey === undefined) throw new Refusal(NOTHING_HERE);
  const reports = readReports(await readSigned(ctx, deps.findKey));
  const actor = { address: ctx.ip, requestId: String(ctx.state['requestId']) };
  const answers = [];
  for (const { token, type, url } of reports) {
    const found = await deps.identify(token);
    if (found?.live) {
      const { id: secretId, clientId } = found;
      const foundAt = url && isHttps(url) ? { foundAt: url } : {};
      const report = { secretId, reportedBy: 'secret_scanning', newSecret: false } as const;
      await deps.answerLeak(clientId, { ...report, ...foundAt, actor });
      deps.log.warn({ clientId, secret: secretId }, 'a secret was found in public and has ended');
    }
    answers.push({
      token_hash: createHash('sha256').update(token).digest('hex'),
      token_type: type,
      label: found === undefined ? 'false_positive' : 'true_positive',
    });
  }
  ctx.body = answers;
}

/** The raw body, whose signature was verified. @throws {Refusal} 403, 413, 503 */
async function readSigned(ctx: Context, findKey: FindScannerKey): Promise<Buffer> {
  const id = ctx.get('Github-Public-Key-Identifier');
  const signature = ctx.get('Github-Public-Key-Signature');
  if (id === '' || signature === '') throw signatureInvalid();
  const tooLarge = Number(ctx.get('Content-Length')) > BODY_MAX_BYTES;
  const body = tooLarge ? undefined : await readBody(ctx.req, BODY_MAX_BYTES);
  if (body === undefined) throw bodyTooLarge(BODY_MAX_BYTES);
  const key = await findKey(id);
  if (key === undefined || !verify('sha256', body, key, Buffer.from(signature, 'base64'))) {
    throw signatureInvalid();
  }
  return body;
}

/** @throws {Refusal} 400 */
function readReports(body: Buffer): z.output<typeof REPORTS> {
  try {
    return REPORTS.parse(JSON.parse(body.toString('utf8')));
  } catch (cause) {
    throw new Refusal(
      {
        status: 400,
        code: 'invalid_request',
        title: 'Report not understood',
        detail: `Expected a JSON array of 1 to ${REPORTS_MAX} objects with token, type, url and source.`,
      },
      { cause },
    );
  }
}

function isHttps(url: string): boolean {
  return URL.canParse(url) && new URL(url).protocol === 'https:';
}

function signatureInvalid(): Refusal {
  return new Refusal({
    status: 403,
    code: 'signature_invalid',
    title: 'Signature not valid',
    detail: 'The report is not signed by a key of the secret scanner that is known here.',
  });
}

import { createHash } from 'node:crypto';
import { type Clock, epochSeconds } from '@cls/shared/clock';
import { answerCache } from '../../balances/answer-cache.ts';
import type { Level } from '../../balances/balance-store.ts';
import type { CurrentLedger } from '../../balances/current-ledger.ts';
import { type CursorCodec, cursorMismatch } from '../../balances/cursor.ts';
import {
  type BalanceQuestion,
  type ReadBalances,
  readerName,
} from '../../balances/read-balances.ts';
import type { ApiVersion, VersionRequest, VersionResponse, VersionRoute } from '../api-version.ts';
import { presentPage } from './present.ts';
import { parseBalancesQuery, parseCanonical } from './query.ts';

export interface V1Parts {
  readonly readBalances: ReadBalances;
  readonly ledger: CurrentLedger;
  readonly cursors: CursorCodec;
  readonly clock: Clock;
}

/** Version 1 of the API. */
export function v1(parts: V1Parts): ApiVersion {
  const cached = answerCache<VersionResponse>(parts.ledger);
  const route = (path: string, level: Level): VersionRoute => ({
    path,
    permissions: ['cls-deal.view', 'external-api.fullcontrol'],
    handle: (request) =>
      cached(`${readerName(request.caller)} ${level} ${request.query}`, () =>
        answer(parts, level, request),
      ),
  });
  return {
    id: 'v1',
    support: 'Supported',
    retiresAt: undefined,
    routes: [route('/cls/balances', 'facility'), route('/cls/balances/principal', 'contract')],
  };
}

async function answer(
  parts: V1Parts,
  level: Level,
  request: VersionRequest,
): Promise<VersionResponse> {
  const question = toQuestion(parts, level, request);
  const page = await parts.readBalances(request.caller, question);
  // Bytes, not text: an answer that is kept is encoded once.
  const body = Buffer.from(JSON.stringify(presentPage(page)));
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  return {
    status: 200,
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body,
    etag,
  };
}

/** What is asked: by the parameters, or by the walk that a cursor goes on with. */
function toQuestion(
  { cursors, clock }: V1Parts,
  level: Level,
  { caller, query: text }: VersionRequest,
): BalanceQuestion {
  const query = parseBalancesQuery(text, level);
  const { limit, cursor, canonical, filter, asOf } = query;
  if (cursor === undefined) return { level, filter, asOf, limit, canonical, position: undefined };
  const position = cursors.decode(cursor, readerName(caller), epochSeconds(clock));
  const walk = parseCanonical(position.question);
  if (walk.level !== level || (query.narrows && canonical !== position.question)) {
    throw cursorMismatch('the cursor is of another question; send it alone or with the same');
  }
  return {
    level,
    filter: walk.filter,
    asOf: undefined,
    limit,
    canonical: position.question,
    position,
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import { epochSeconds, systemClock } from '@cls/shared/clock';
import { decodeJwt, decodeProtectedHeader, UnsecuredJWT } from 'jose';
import { type Adapter, type AdapterPayload, errors, Provider } from 'oidc-provider';
import { digest } from '../crypto/digest.ts';
import { sealState, unsealState } from '../crypto/seal.ts';
import { answering, type Spendable, whenAnswered, whenSent } from '../state/answering.ts';
import type { NewStateEntry, StateEntry, StateStore } from '../state/state-store.ts';

/** For what the library keeps without a stated lifetime. */
const DEFAULT_TTL_S = 86_400;

const PUSHED = 'PushedAuthorizationRequest';

/**
 * Seconds for which an expired entry is kept: a device code to answer `expired_token` (RFC 8628 §3.5),
 * a pushed request so that it is known as used while sign-ins go on that it began.
 */
const EXPIRED_TTL_S: Readonly<Record<string, number>> = { DeviceCode: 600, [PUSHED]: 1_800 };

/** They live for a minute: the store's clock alone says whether they do, not each replica's own. */
const EXPIRES_IN_STORE = new Set(['AuthorizationCode', PUSHED]);

/** Kinds that die with their grant. An interaction names one too, but only asks for it. */
const OF_A_GRANT = new Set([
  'AccessToken',
  'AuthorizationCode',
  'BackchannelAuthenticationRequest',
  'DeviceCode',
  'PreAuthorizedCode',
  'RefreshToken',
]);

/** Consumed together with the answer of the token endpoint: see oauth/token/spend.ts. */
const SPENT_WITH_ANSWER = new Set(['AuthorizationCode', 'DeviceCode', 'RefreshToken']);

/**
 * When they are removed: a browser that asks again must find them. A sign-in stays until its answer was sent,
 * because the process may die before that. A session is removed before the person reads that it ended.
 */
const REMOVED: Readonly<Record<string, typeof whenSent>> = {
  Interaction: whenSent,
  Session: whenAnswered,
};
const atOnce: typeof whenSent = (work) => work();

/**
 * Seconds for which one of several requests of a browser is the only one to answer a pushed request:
 * longer than an attempt may take before it counts as failed (`UNSETTLED_S`).
 */
const TURN_S = 2;
/** Others wait longer: the entry is settled when the answer is certain. */
const TURN_TTL_S = TURN_S + 1;
const LOOK_EVERY_MS = 50;

/** It was spent before, and for an answer that is still kept. */
export class AlreadySpent extends errors.InvalidGrant {
  readonly spendable: Spendable;

  constructor(spendable: Spendable) {
    super(`${spendable.kind} is consumed`);
    this.spendable = spendable;
  }
}

/**
 * oidc-provider's Adapter over a StateStore. Ids are kept as digests, and payloads sealed under
 * their own id: they name further ids that would open something, such as the session's cookie.
 * What is also found by another value keeps its id sealed under that value.
 */
export function providerAdapter(store: StateStore, kind: string): Adapter {
  const findBy = async (index: 'uid' | 'userCode', value: string) => {
    const entry = await store.findBy(kind, index, digest(value));
    const sealedId = entry?.payload['sealedId'];
    const found =
      typeof sealedId === 'string' ? opened(entry, unsealState(sealedId, value)) : undefined;
    // The person confirms again: the first time there was no answer.
    const again = found?.inFlight === true && found['inFlightOf'] === browser();
    return again ? { ...found, inFlight: undefined } : found;
  };
  return {
    async upsert(id, payload, expiresIn) {
      // A device that a person is about to connect is theirs: no other browser may meanwhile.
      const inFlightOf = payload.inFlight === true ? { inFlightOf: browser() } : {};
      const ttlS = (expiresIn ?? DEFAULT_TTL_S) + (EXPIRED_TTL_S[kind] ?? 0);
      const lifeS = EXPIRES_IN_STORE.has(kind) ? { lifeS: expiresIn } : {};
      const written = await store.put(
        sealedEntry(kind, id, { ...payload, ...inFlightOf, ...lifeS }, Math.max(1, ttlS)),
        // A replayed assertion must lose even when both copies arrive at once.
        { onlyIfAbsent: kind === 'ReplayDetection' },
      );
      if (!written) throw new errors.InvalidRequest('this assertion was used before');
    },
    async find(id) {
      const found = await store.find(kind, digest(id));
      if (found === undefined && isOfSignIn(kind, id)) throw pushedRequestUsed();
      const entry = timed(kind, found, opened(found, id));
      // The library would end the whole grant. `consume` decides, once the caller is proven.
      return mayComeAgain(kind, found, browserAttempt(kind))
        ? { ...entry, consumed: undefined }
        : entry;
    },
    findByUid: (uid) => findBy('uid', uid),
    findByUserCode: (userCode) => findBy('userCode', userCode),
    async consume(id) {
      const key = digest(id);
      const found = await store.find(kind, key);
      const grantId = opened(found, id)?.grantId;
      const request = answering();
      if (request !== undefined && SPENT_WITH_ANSWER.has(kind)) {
        const grant = grantId === undefined ? {} : { grantId: digest(grantId) };
        const spendable = { kind, key, secret: id, ...grant };
        if (found?.spent?.answer !== undefined) throw new AlreadySpent(spendable);
        request.spendable = spendable;
        return;
      }
      const attempt = browserAttempt(kind);
      if (attempt !== undefined) await takeTurn(store, key, attempt);
      const spending = attempt === undefined ? undefined : { attempt };
      const outcome = await store.consume(kind, key, spending);
      if (outcome === 'won') {
        if (attempt !== undefined) await whenAnswered(() => store.settle(kind, key, 0));
        return;
      }
      if (kind === PUSHED) throw pushedRequestUsed();
      // Spent twice: somebody holds a copy, and must not keep what the first spending brought.
      const again = outcome === 'already' && grantId !== undefined;
      if (again) await store.revokeGrant(digest(grantId));
      throw new errors.InvalidGrant(`${kind} is ${outcome === 'gone' ? 'gone' : 'consumed'}`);
    },
    async destroy(id) {
      const remove = () => store.remove(kind, digest(id));
      await (REMOVED[kind] ?? atOnce)(remove);
    },
    revokeByGrantId: (grantId) => store.revokeGrant(digest(grantId)),
  };
}

/**
 * The library compares times that another replica wrote with this machine's clock: here they are what
 * the store's clock says.
 */
function timed(
  kind: string,
  entry: StateEntry | undefined,
  payload: AdapterPayload | undefined,
): AdapterPayload | undefined {
  if (entry === undefined || payload?.exp === undefined) return payload;
  if (!EXPIRES_IN_STORE.has(kind)) return payload;
  const { request, lifeS = Number.POSITIVE_INFINITY, exp, ...rest } = payload;
  return {
    ...rest,
    exp: entry.ageS < Number(lifeS) ? Math.max(exp, epochSeconds(systemClock) + 1) : 0,
    ...(request === undefined ? {} : { request: withoutOwnTimes(request) }),
  };
}

/** The library keeps pushed parameters as an unsigned JWT with times. Those that a client signed are the client's. */
function withoutOwnTimes(request: string): string {
  if (decodeProtectedHeader(request).alg !== 'none') return request;
  const { iat: _iat, nbf: _nbf, exp: _exp, ...parameters } = decodeJwt(request);
  return new UnsecuredJWT(parameters).encode();
}

/** Whether a spent entry is asked for by who may not have got the answer. */
function mayComeAgain(
  kind: string,
  { spent }: Partial<StateEntry> = {},
  attempt: string | undefined,
): boolean {
  if (spent === undefined || answering() === undefined) return false;
  if (SPENT_WITH_ANSWER.has(kind)) return spent.answer !== undefined;
  return spent.attempt !== undefined && spent.attempt === attempt;
}

/**
 * A pushed request is good once (RFC 9126 §4), for one sign-in of one browser: when its answer
 * fails, that browser may reload.
 */
function browserAttempt(kind: string): string | undefined {
  return kind === PUSHED ? browser() : undefined;
}

/**
 * Of requests that a browser sends at once, one answers the pushed request. The others wait, in case
 * its answer fails. One that takes longer than its turn needs another one to answer.
 *
 * @throws {errors.InvalidRequestUri} when it was answered.
 */
async function takeTurn(store: StateStore, key: string, attempt: string): Promise<void> {
  const overMs = await turnOf(store, key, attempt);
  if (overMs === undefined) throw pushedRequestUsed();
  const request = answering();
  if (request === undefined) return;
  request.mayAnswer = async () =>
    performance.now() < overMs || (await turnOf(store, key, attempt)) !== undefined;
}

/** @returns when the turn is over, by this process's clock; undefined where the request was answered. */
async function turnOf(
  store: StateStore,
  key: string,
  attempt: string,
): Promise<number | undefined> {
  const turn = { kind: `${PUSHED}.turn`, key, payload: {}, ttlS: TURN_TTL_S };
  for (;;) {
    const overMs = performance.now() + TURN_S * 1_000;
    const taken = await store.put(turn, { onlyIfAbsent: true });
    const found = await store.find(PUSHED, key);
    const answered = found?.consumedAtS !== undefined && !mayComeAgain(PUSHED, found, attempt);
    if (found === undefined || answered) return undefined;
    if (taken) return overMs;
    await sleep(LOOK_EVERY_MS);
  }
}

/** Whether a sign-in goes on that this pushed request began; the library answers one that is gone. */
function isOfSignIn(kind: string, id: string): boolean {
  const { Interaction: interaction } = Provider.ctx?.oidc.entities ?? {};
  return kind === PUSHED && (interaction as { parJti?: unknown } | undefined)?.parJti === id;
}

/** As the library says it. */
function pushedRequestUsed(): errors.InvalidRequestUri {
  return new errors.InvalidRequestUri('request_uri is invalid, expired, or was already used');
}

/** Digest of the sign-in under way, or else of the browser's session. */
function browser(): string | undefined {
  const { entities, session } = Provider.ctx?.oidc ?? {};
  const uid = entities?.Interaction?.uid ?? session?.uid;
  return uid === undefined ? undefined : digest(uid);
}

function sealedEntry(
  kind: string,
  id: string,
  payload: AdapterPayload,
  ttlS: number,
): NewStateEntry {
  const { uid, userCode, accountId } = payload;
  const other = uid ?? userCode;
  const grantId = grantOf(kind, id, payload);
  return {
    kind,
    key: digest(id),
    payload: {
      sealed: sealState(JSON.stringify(payload), id),
      ...(other === undefined ? {} : { sealedId: sealState(id, other) }),
    },
    ttlS,
    ...(grantId === undefined ? {} : { grantId: digest(grantId) }),
    ...(uid === undefined ? {} : { uid: digest(uid) }),
    ...(userCode === undefined ? {} : { userCode: digest(userCode) }),
    ...(accountId === undefined ? {} : { account: digest(accountId) }),
  };
}

/** What it dies with: a session with itself, so that a request under way does not revive it. */
function grantOf(kind: string, id: string, { uid, grantId }: AdapterPayload): string | undefined {
  if (kind === 'Session') return uid;
  if (kind === 'Grant') return id;
  return OF_A_GRANT.has(kind) ? grantId : undefined;
}

function opened(entry: StateEntry | undefined, id: string): AdapterPayload | undefined {
  const sealed = entry?.payload['sealed'];
  if (typeof sealed !== 'string') return undefined;
  const payload = JSON.parse(unsealState(sealed, id)) as AdapterPayload;
  const consumed = entry?.consumedAtS;
  return { ...payload, jti: id, ...(consumed === undefined ? {} : { consumed }) };
}

import { createHmac, timingSafeEqual } from 'node:crypto';
import { Refusal } from '@cls/shared/http/refusal';
import type { Secret } from '@cls/shared/secret';
import type { BusinessDate } from '../ledger/business-date.ts';
import type { PageEnd } from './balance-store.ts';

/**
 * Where a walk over pages stands, and what it reads: the question, the state of the ledger frozen
 * at the first page, and whose walk it is.
 */
export interface CursorPosition {
  /** Resource and filter in their canonical form. */
  readonly question: string;
  /** Who asks, as the database sees it. */
  readonly reader: string;
  readonly asOf: BusinessDate;
  readonly ledgerSeq: bigint;
  readonly after: PageEnd;
  /** Exchange rates up to this one are the walk's; 0 where none are asked for. */
  readonly fxNumber: bigint;
  /** Seconds since the epoch. */
  readonly expiresAtS: number;
}

export interface CursorCodec {
  encode(position: CursorPosition): string;
  /** @throws {Refusal} `invalid_cursor`, `cursor_expired`, `cursor_mismatch` */
  decode(cursor: string, reader: string, nowS: number): CursorPosition;
}

/** A walk may take a day at least: cursors expire at the end of the day after, in UTC. */
export const CURSOR_TTL_S = 86_400;
const MAC_BYTES = 16;
/** Of what is signed: cursors of another shape are refused, whoever signed them. */
const FORMAT = 2;

/** Cursors are opaque to callers and signed: what is in them was written here. */
export function cursorCodec(key: Secret): CursorCodec {
  const macOf = (body: Buffer): Buffer =>
    createHmac('sha256', key.expose()).update(body).digest().subarray(0, MAC_BYTES);
  return {
    encode({ question, reader, asOf, ledgerSeq, after, fxNumber, expiresAtS }) {
      const place = [`${ledgerSeq}`, after.sortValue, `${after.key}`, `${fxNumber}`];
      const fields = [FORMAT, question, reader, asOf, ...place, expiresAtS];
      const body = Buffer.from(JSON.stringify(fields));
      return Buffer.concat([macOf(body), body]).toString('base64url');
    },
    decode(cursor, reader, nowS) {
      const bytes = Buffer.from(cursor, 'base64url');
      const body = bytes.subarray(MAC_BYTES);
      const signed =
        bytes.length > MAC_BYTES &&
        bytes.toString('base64url') === cursor &&
        timingSafeEqual(bytes.subarray(0, MAC_BYTES), macOf(body));
      const fields: unknown[] = signed ? JSON.parse(body.toString('utf8')) : [];
      if (fields[0] !== FORMAT) {
        throw cursorRefusal(400, 'invalid_cursor', 'expected a cursor as it was given');
      }
      const [question, owner, asOf, ledgerSeq, sortValue, key, fx, expiresAtS] = fields.slice(
        1,
      ) as [string, string, BusinessDate, string, string | null, string, string, number];
      if (owner !== reader) throw cursorMismatch('the cursor was given to another caller');
      if (nowS >= expiresAtS) {
        throw cursorRefusal(410, 'cursor_expired', 'the cursor is older than a day; start anew');
      }
      return {
        question,
        reader: owner,
        asOf,
        ledgerSeq: BigInt(ledgerSeq),
        after: { sortValue, key: BigInt(key) },
        fxNumber: BigInt(fx),
        expiresAtS,
      };
    },
  };
}

export function cursorMismatch(message: string): Refusal {
  return cursorRefusal(400, 'cursor_mismatch', message);
}

function cursorRefusal(status: number, code: string, message: string): Refusal {
  return new Refusal({
    status,
    code,
    title: 'Cursor refused',
    detail: `cursor: ${message}`,
    errors: [{ parameter: 'cursor', code, message }],
  });
}

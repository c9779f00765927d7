import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ProblemCode } from '@cls/shared/http/problem-codes';
import { Refusal } from '@cls/shared/http/refusal';
import type { Secret } from '@cls/shared/secret';
import type { BusinessDate } from '../../ledger/business-date.ts';
import type { PageEnd } from './balance-store.ts';
import type { WalkSnapshot } from './snapshot.ts';

/**
 * The position of a walk over pages: the question, the state of the ledger at the first page, and
 * the reader whose walk it is.
 */
export interface CursorPosition extends WalkSnapshot {
  /** Resource and filter in their canonical form. */
  readonly question: string;
  /** Who asks, as the database sees it. */
  readonly reader: string;
  readonly after: PageEnd;
}

export interface CursorCodec {
  encode(position: CursorPosition): string;
  /** @throws {Refusal} `invalid_cursor`, `cursor_mismatch` */
  decode(cursor: string, reader: string): CursorPosition;
}

const MAC_BYTES = 16;
/** Version of the signed text: cursors of another shape are refused, well signed or not. */
const FORMAT = 5;

/**
 * Cursors are opaque to callers and signed, so their content can be trusted. A cursor does not
 * expire: the page that it names is the same for ever, and so are the bytes of the page before.
 *
 * @param previous accepted still, while `key` is being rolled out.
 */
export function cursorCodec(key: Secret, previous?: Secret): CursorCodec {
  const macOf = (body: Buffer, secret = key): Buffer =>
    createHmac('sha256', secret.expose()).update(body).digest().subarray(0, MAC_BYTES);
  const isSigned = (mac: Buffer, body: Buffer): boolean =>
    [key, previous].some(
      (secret) => secret !== undefined && timingSafeEqual(mac, macOf(body, secret)),
    );
  return {
    encode({ question, reader, asOf, ledgerSeq, knownAt = null, after, fxNumber }) {
      const place = [`${ledgerSeq}`, after.sortValue, `${after.key}`, `${fxNumber}`];
      const fields = [FORMAT, question, reader, asOf, knownAt, ...place];
      const body = Buffer.from(JSON.stringify(fields));
      return Buffer.concat([macOf(body), body]).toString('base64url');
    },
    decode(cursor, reader) {
      const bytes = Buffer.from(cursor, 'base64url');
      const body = bytes.subarray(MAC_BYTES);
      const signed =
        bytes.length > MAC_BYTES &&
        bytes.toString('base64url') === cursor &&
        isSigned(bytes.subarray(0, MAC_BYTES), body);
      const fields: unknown[] = signed ? JSON.parse(body.toString('utf8')) : [];
      if (fields[0] !== FORMAT) {
        throw cursorRefusal('invalid_cursor', 'expected a cursor from page.nextCursor, unchanged');
      }
      const [question, owner, asOf, knownAt, ledgerSeq, sortValue, itemKey, fx] = fields.slice(
        1,
      ) as [string, string, BusinessDate, string | null, string, string | null, string, string];
      if (owner !== reader) throw cursorMismatch('the cursor was given to another caller');
      return {
        question,
        reader: owner,
        asOf,
        ledgerSeq: BigInt(ledgerSeq),
        knownAt: knownAt ?? undefined,
        after: { sortValue, key: BigInt(itemKey) },
        fxNumber: BigInt(fx),
      };
    },
  };
}

export function cursorMismatch(message: string): Refusal {
  return cursorRefusal('cursor_mismatch', message);
}

export function cursorRefusal(code: ProblemCode, message: string): Refusal {
  return new Refusal({
    status: 400,
    code,
    title: 'Cursor not valid',
    detail: `cursor: ${message}`,
    errors: [{ parameter: 'cursor', code, message }],
  });
}

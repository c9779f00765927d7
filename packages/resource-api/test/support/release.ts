import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { DatabaseLocation } from '@cls/shared/service/open-database';
import type { Database } from '@cls/shared/sql/database';
import { migrate, readMigrations } from '@cls/shared/sql/migrate';
import type { Engine } from '@cls/testing/engines';

const fixture = (name: string) =>
  gunzipSync(
    readFileSync(new URL(`../../../test/fixtures/${name}.gz`, import.meta.url)),
  ).toString();

/** Roles are the server's and not part of a dump; the first migrations made it like this. */
const READER = `DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'cls_reader') THEN
    CREATE ROLE cls_reader NOLOGIN;
  END IF;
  EXECUTE format('GRANT cls_reader TO %I', current_user);
EXCEPTION WHEN OTHERS THEN NULL; END $$;`;

/** What release 0.5.0 made of a store: the last that had each migration. */
export const MIGRATIONS_OF_0_5_0 = new URL('../../../test/migrations-of-0.5.0/', import.meta.url);

/** A store with the book of an early release, which 0.5.0 has opened, and no build since. */
export function releasedBook(engine: Engine): Promise<DatabaseLocation> {
  return engine.createLocation(undefined, writeReleasedBook);
}

/** Writes that book, as the owner of a store. */
export async function writeReleasedBook(database: Database): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.execute(READER);
    await transaction.execute(
      `SET LOCAL check_function_bodies = off; ${fixture('release-0005.sql')}`,
    );
  });
  await migrate(database, readMigrations(MIGRATIONS_OF_0_5_0));
}

type Amounts = Readonly<Record<string, string>>;

/** An item with what owes nothing left out. */
export interface Figures {
  readonly deal: string;
  readonly id: string;
  readonly currency: string;
  readonly status: Readonly<Record<string, unknown>>;
  readonly allInRate?: string;
  readonly warnings?: readonly string[];
  readonly global: Amounts;
  readonly share?: Amounts;
  readonly lenders: Readonly<Record<string, Amounts>>;
}

export interface Answer {
  /** The question, below /api/v1/cls/balances. */
  readonly path: string;
  /** Who asked; full control when undefined. */
  readonly customer?: string;
  readonly items: readonly Figures[];
}

export interface Release {
  /** What the book went through, and the instant at which it had. */
  readonly stages: readonly { readonly name: string; readonly knownAt: string }[];
  readonly answers: readonly Answer[];
  /** The deals with a repayment that became known late, reversed bills, a drawing too large. */
  readonly late: string;
  readonly reversed: string;
  readonly beyond: string;
  /** The deals that a file booked after a statement: without any journal, and with a later one. */
  readonly quiet: string;
  readonly lively: string;
}

/** What the release answered of its book. */
export function releasedAnswers(): Release {
  const { answers, items, ...rest } = JSON.parse(fixture('release-0005.answers.json'));
  return {
    ...rest,
    reversed: rest.reversed[0],
    answers: answers.map((answer: { items: readonly number[] }) => ({
      ...answer,
      items: answer.items.map((place) => items[place]),
    })),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: answers are read as their caller reads them.
type Json = any;

export function figuresOf(item: Json): Figures {
  const { contract, position, facility, deal, global, share, lenders, warnings } = item;
  const { currency, status, allInRate } = item;
  return {
    deal: deal.id,
    id: (contract ?? position ?? facility ?? deal).id,
    currency,
    status,
    ...(allInRate ? { allInRate } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
    global: amountsOf(global),
    ...(share ? { share: amountsOf(share) } : {}),
    lenders: Object.fromEntries(
      (lenders ?? []).map(({ lender, ...amounts }: Json) => [lender.id, amountsOf(amounts)]),
    ),
  };
}

function amountsOf(of: Json): Amounts {
  const flat = (value: Json, path: string): [string, string][] =>
    Object.entries(value).flatMap(([key, inner]: [string, Json]) => {
      if (inner !== null && typeof inner === 'object') return flat(inner, `${path}${key}.`);
      return inner === null || /^-?0(\.0*)?$/.test(inner) ? [] : [[`${path}${key}`, inner]];
    });
  return Object.fromEntries(flat(of, ''));
}

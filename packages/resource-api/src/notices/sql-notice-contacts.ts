import type { Sealer } from '@cls/shared/seal';
import type { Database } from '@cls/shared/sql/database';
import { type Resealed, reseal, sealedByOthers } from '@cls/shared/sql/reseal';
import { type ContactRecord, type NoticeContacts, secretContext } from './notice-outbox.ts';
import { instant } from './sql-notices.ts';

const CUSTOMER_AND_TARGET = "customer_id || ' ' || target";
const SEALED = {
  notice_contact: {
    column: 'sealed_secret',
    key: CUSTOMER_AND_TARGET,
    owner: CUSTOMER_AND_TARGET,
    context(owner: string) {
      const [customer = '', target = ''] = owner.split(' ', 2);
      return secretContext({ customer, target });
    },
  },
};

/** Seals with the current key what another one sealed. */
export function resealWebhooks(
  database: Database,
  current: Sealer,
  any: Sealer,
): Promise<Resealed> {
  return database.transaction((transaction) => reseal(transaction, SEALED, current, any));
}

/** @returns how many secrets do not open with the current key */
export async function webhooksOfOtherKeys(database: Database, current: Sealer): Promise<number> {
  return (await sealedByOthers(database, SEALED, current)).length;
}

export function sqlNoticeContacts(database: Database): NoticeContacts {
  return {
    list: (customer) =>
      database.query<ContactRecord>(
        `SELECT customer_id AS customer, channel, target, ${instant('created_at')} AS "createdAt"
         FROM notice_contact WHERE $1::text IS NULL OR customer_id = $1
         ORDER BY customer_id, channel, target`,
        [customer ?? null],
      ),
    async add({ customer, channel, target }, sealedSecret, now) {
      const made = await database.query(
        `INSERT INTO notice_contact (customer_id, channel, target, sealed_secret, created_at)
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING 1`,
        [customer, channel, target, sealedSecret, now.toISOString()],
      );
      return made.length === 1;
    },
    async remove({ customer, channel, target }) {
      const gone = await database.query(
        `DELETE FROM notice_contact WHERE customer_id = $1 AND channel = $2 AND target = $3
         RETURNING 1`,
        [customer, channel, target],
      );
      return gone.length === 1;
    },
  };
}

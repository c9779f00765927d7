import { SUBJECTS, selected } from '../../posting/stored-fields.ts';
import type { IdentifiedRecord } from '../record.ts';
import { present } from './read-journals.ts';

const BOOKED_ON = ', CASE WHEN NOT t.follows_journals THEN t.booked_on END AS "bookedOn"';
const EXTERNAL_IDS = `, coalesce((SELECT jsonb_agg(jsonb_build_object('source', x.source, 'value', x.value)
     ORDER BY x.source COLLATE "C", x.value COLLATE "C")
   FROM external_id x WHERE x.entity_id = t.id), '[]') AS "externalIds"`;

/** Records `t` of each kind with the names that they have in a journal file. */
export const SUBJECT_STATEMENTS = SUBJECTS.map(({ object, prefix, table, fields, has }) => ({
  object,
  prefix,
  sql: `SELECT t.key, ${selected(fields)}${has.bookedOn ? BOOKED_ON : ''}${has.externalIds ? EXTERNAL_IDS : ''}
     FROM ${table} t`,
}));

export type SubjectRow = { readonly key: bigint; readonly id: string } & Record<string, unknown>;

export function subjectOf(object: string, { key: _, ...row }: SubjectRow): IdentifiedRecord {
  return present({ object, ...row });
}

import type { Sql } from '@cls/shared/sql/database';

/** A part of a database's schema that protects the ledger or says what its rows are. */
export interface SchemaObject {
  readonly kind: string;
  readonly name: string;
  /** The same text for the same object on PostgreSQL 15 to 18 and PGlite. */
  readonly definition: string;
}

/** All of them, of the schema that the session works in; what belongs to extensions is left out. */
export async function schemaObjects(sql: Sql): Promise<readonly SchemaObject[]> {
  const objects = await sql.query<SchemaObject>(OBJECTS);
  return objects.map(({ kind, name, definition }) => ({
    kind,
    name,
    definition: DEPARSED.includes(kind) ? normalized(definition) : definition,
  }));
}

/** Kinds that the server writes anew from its catalogs, each version in its own way. */
const DEPARSED = ['column', 'constraint', 'index', 'policy', 'trigger', 'view'];

/** Versions differ in parentheses, blanks, qualified names and the casts of constants. */
function normalized(text: string): string {
  return text
    .replaceAll(/'((?:[^']|'')*)'::[a-z_ ]+(\[\])?/g, "'$1'")
    .replaceAll(/\b[a-z_]+\./g, '')
    .replaceAll(/[\s()"]/g, '');
}

const OURS = `= current_schema()::regnamespace`;

const OBJECTS = `
  WITH relation AS (
    SELECT oid, relname, relkind, relrowsecurity, relforcerowsecurity, reloptions
    FROM pg_class WHERE relnamespace ${OURS}
      -- The service makes and drops the days of the log of reads.
      AND relkind IN ('r', 'p', 'v') AND NOT relispartition AND NOT EXISTS (
        SELECT FROM pg_depend d WHERE d.objid = pg_class.oid AND d.deptype = 'e')
  )
  SELECT 'column' AS kind, r.relname || '.' || a.attname AS name, concat_ws(' ',
    format_type(a.atttypid, a.atttypmod), CASE WHEN a.attnotnull THEN 'not null' END,
    nullif(a.attidentity::text, ''), nullif(a.attgenerated::text, ''),
    pg_get_expr(d.adbin, d.adrelid)) AS definition
  FROM relation r JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  UNION ALL
  SELECT 'row security', relname, CASE WHEN relrowsecurity THEN 'on' ELSE 'off' END
    || CASE WHEN relforcerowsecurity THEN ', forced' ELSE '' END
  FROM relation WHERE relkind IN ('r', 'p')
  UNION ALL
  SELECT 'view', relname, coalesce(array_to_string(reloptions, ','), '') || ' '
    || pg_get_viewdef(oid) FROM relation WHERE relkind = 'v'
  UNION ALL
  -- Newer versions keep NOT NULL as a constraint, too: columns say it for all.
  SELECT 'constraint', r.relname || '.' || c.conname, pg_get_constraintdef(c.oid)
    || CASE WHEN c.convalidated THEN '' ELSE ' NOT VALIDATED' END
  FROM relation r JOIN pg_constraint c ON c.conrelid = r.oid AND c.contype NOT IN ('n', 't')
  UNION ALL
  SELECT 'check of a constraint', r.relname || '.' || c.conname,
    CASE WHEN bool_and(t.tgenabled = 'O') THEN 'enabled' ELSE 'disabled' END
  FROM relation r JOIN pg_trigger t ON t.tgrelid = r.oid AND t.tgisinternal
  JOIN pg_constraint c ON c.oid = t.tgconstraint GROUP BY r.relname, c.conname
  UNION ALL
  SELECT 'trigger', r.relname || '.' || t.tgname, CASE t.tgenabled WHEN 'O' THEN 'enabled '
    WHEN 'D' THEN 'disabled ' ELSE 'enabled for ' || t.tgenabled::text || ' ' END
    || pg_get_triggerdef(t.oid)
  FROM relation r JOIN pg_trigger t ON t.tgrelid = r.oid AND NOT t.tgisinternal
  UNION ALL
  SELECT 'rule', r.relname || '.' || w.rulename, pg_get_ruledef(w.oid)
  FROM relation r JOIN pg_rewrite w ON w.ev_class = r.oid AND w.rulename <> '_RETURN'
  UNION ALL
  SELECT 'policy', r.relname || '.' || p.polname, concat_ws(' ',
    p.polcmd, CASE WHEN p.polpermissive THEN 'permissive' ELSE 'restrictive' END,
    (SELECT string_agg(rolname, ',' ORDER BY rolname) FROM pg_roles WHERE oid = ANY(p.polroles)),
    pg_get_expr(p.polqual, p.polrelid), 'check', pg_get_expr(p.polwithcheck, p.polrelid))
  FROM relation r JOIN pg_policy p ON p.polrelid = r.oid
  UNION ALL
  SELECT 'index', r.relname || '.' || i.relname, pg_get_indexdef(i.oid)
    || CASE WHEN x.indisvalid THEN '' ELSE ' INVALID' END
  FROM relation r JOIN pg_index x ON x.indrelid = r.oid JOIN pg_class i ON i.oid = x.indexrelid
  UNION ALL
  SELECT 'function', p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')',
    concat_ws(' ', pg_get_function_result(p.oid), l.lanname, p.provolatile,
      CASE WHEN p.prosecdef THEN 'security definer' END,
      array_to_string(ARRAY(SELECT unnest(p.proconfig) ORDER BY 1), ', '),
      regexp_replace(btrim(p.prosrc, E' \\n'), '\\s+', ' ', 'g'),
      regexp_replace(pg_get_function_sqlbody(p.oid), '[\\s()]', '', 'g'))
  FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
  WHERE p.pronamespace ${OURS} AND NOT EXISTS (
    SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
  UNION ALL
  SELECT 'type', t.typname, string_agg(e.enumlabel, ', ' ORDER BY e.enumsortorder)
  FROM pg_type t JOIN pg_enum e ON e.enumtypid = t.oid WHERE t.typnamespace ${OURS}
  GROUP BY t.typname
  ORDER BY 1, 2`;

// What a migration may do to the build of the release before, which runs on the new schema while replicas are
// replaced, and again when an upgrade is taken back.

const STATED = /^-- (contract|lock): (.{20,})$/gm;

/** What a statement does that the former build may not survive, or that stops it for a while. */
const RULES = [
  [
    /^DROP\s+(TABLE|VIEW|FUNCTION|TYPE|SEQUENCE|SCHEMA)\b/i,
    'contract',
    'drops what the former build may use',
  ],
  [
    /^ALTER\s+TABLE\b[^;]*\bDROP\s+(COLUMN\b|(?!CONSTRAINT\b|DEFAULT\b|NOT\b|EXPRESSION\b|IDENTITY\b)(?!ROW\b)\w+\s*(,|$))/i,
    'contract',
    'drops a column',
  ],
  [
    /^DROP\s+INDEX\b/i,
    'contract',
    'drops what ON CONFLICT and questions of the former build may need',
  ],
  [/^DROP\s+(TRIGGER|RULE)\b/i, 'contract', 'drops what the former build may rely on'],
  [
    /^ALTER\s+(TABLE|VIEW|FUNCTION|TYPE|INDEX|SEQUENCE)\b[^;]*\bRENAME\b/i,
    'contract',
    'renames what the former build may use',
  ],
  [
    /^ALTER\s+\w+(\s+VIEW)?\b[^;]*\bSET\s+SCHEMA\b/i,
    'contract',
    'moves what the former build looks for in another schema',
  ],
  [
    /^ALTER\s+TABLE\b[^;]*\bALTER\s+(COLUMN\s+)?\w+\s+(SET\s+DATA\s+)?TYPE\b/i,
    'contract',
    'changes a type, and rewrites the table',
  ],
  [
    /^ALTER\s+TABLE\b[^;]*\bSET\s+NOT\s+NULL\b/i,
    'contract',
    'refuses rows without a value, which the former build may write',
  ],
  [
    /^ALTER\s+TABLE\b[^;]*\bDROP\s+DEFAULT\b/i,
    'contract',
    'takes the value from rows that the former build writes',
  ],
  [/^CREATE\s+UNIQUE\s+INDEX\b/i, 'contract', 'refuses rows that the former build may write'],
  [/^REVOKE\b/i, 'contract', 'takes a right that the former build may use'],
  [
    /^(CREATE\s+POLICY\b[^;]*\bAS\s+RESTRICTIVE|(DROP|ALTER)\s+POLICY)\b/i,
    'contract',
    'may hide rows from the former build, or refuse those that it writes',
  ],
  [
    /^CREATE\s+(OR\s+REPLACE\s+)?(CONSTRAINT\s+TRIGGER|TRIGGER\b[^;]*?\b(BEFORE|INSTEAD\s+OF))\b/i,
    'contract',
    'may refuse or change what the former build writes',
  ],
  [
    /^CREATE\s+(OR\s+REPLACE\s+)?RULE\b/i,
    'contract',
    'may change what statements of the former build do',
  ],
  [
    /^CREATE\s+OR\s+REPLACE\s+(TEMP\w*\s+|RECURSIVE\s+)*VIEW\b/i,
    'contract',
    'changes what the former build may read',
  ],
  [
    /^ALTER\s+DOMAIN\b[^;]*\b(ADD|SET\s+NOT\s+NULL|DROP\s+DEFAULT)\b/i,
    'contract',
    'refuses values that the former build may write',
  ],
  [
    /^ALTER\s+DOMAIN\b[^;]*\b(ADD|SET\s+NOT\s+NULL)\b(?![^;]*\bNOT\s+VALID\b)/i,
    'lock',
    'reads all tables with the domain under a lock',
  ],
  [/^CREATE\s+INDEX\b/i, 'lock', 'stops writes until the index is made'],
  [
    /^(UPDATE|DELETE\s+FROM|TRUNCATE)\b/i,
    'lock',
    'locks the rows that it changes until the migration ends',
  ],
  [/^(CLUSTER|REINDEX|VACUUM\s+FULL|LOCK)\b/i, 'lock', 'locks a table'],
];

/** A table's, a column's or a constraint's name; in a text for format() it may be `%I`. */
const NAME = '(?:"[^"]+"|[\\w%]+)';
const ADDED_CONSTRAINT = `^ADD\\s+(?:CONSTRAINT\\s+${NAME}\\s+)?(?:CHECK|UNIQUE|FOREIGN\\s+KEY|PRIMARY\\s+KEY|EXCLUDE)\\b`;

/** The same about one action of an ALTER TABLE, which may have several. */
const ACTION_RULES = [
  // With NOT VALID the rows that are there are not checked; the rows of the former build are.
  [new RegExp(ADDED_CONSTRAINT, 'i'), 'contract', 'refuses rows that the former build may write'],
  [
    new RegExp(`${ADDED_CONSTRAINT}(?![\\s\\S]*\\bNOT\\s+VALID\\b)`, 'i'),
    'lock',
    'reads the whole table under a lock',
  ],
  [
    /^DROP\s+CONSTRAINT\b/i,
    'contract',
    'drops what ON CONFLICT and cascades of the former build may need',
  ],
  [/^(ENABLE|FORCE)\s+ROW\s+LEVEL\s+SECURITY\b/i, 'contract', 'hides rows from the former build'],
  [
    /^(ENABLE|DISABLE)\s+(ALWAYS\s+|REPLICA\s+)?(TRIGGER|RULE)\b/i,
    'contract',
    'changes what happens to what the former build writes',
  ],
  [
    /^ALTER\b[\s\S]*\b(ADD|SET)\s+GENERATED\s+ALWAYS\b/i,
    'contract',
    'refuses values that the former build may write',
  ],
  [
    /^ALTER\b[\s\S]*\bDROP\s+(IDENTITY|EXPRESSION)\b/i,
    'contract',
    'takes the value from rows that the former build writes',
  ],
];
const ADDED_COLUMN = new RegExp(
  `^ADD\\s+(?:COLUMN\\s+)?(?:IF\\s+NOT\\s+EXISTS\\s+)?(?!(?:CONSTRAINT|CHECK|UNIQUE|FOREIGN|PRIMARY|EXCLUDE)\\b)${NAME}([\\s\\S]*)`,
  'i',
);
/** Functions that are not volatile, and types, in a default. PostgreSQL works such a default out once. */
const WORKED_OUT_ONCE =
  /^(now|transaction_timestamp|statement_timestamp|current_setting|numeric|decimal|varchar|char|bit|varying|timestamp|timestamptz|time|interval)$/i;

/**
 * The faults of one migration, each with the statement; none of what concerns tables that came
 * with the same release, because the former build does not know them.
 *
 * @param tables for each table and view that a migration of this release makes, renames or drops: whether
 *   its name came with this release. Those of this text are added.
 */
export function faultsOf(sql, tables = new Map()) {
  const stated = new Set([...sql.matchAll(STATED)].map(([, kind]) => kind));
  const statements = statementsOf(sql).flatMap(withBlocks);
  for (const statement of statements) {
    const [, made, left] = MADE_OR_LEFT.exec(statement) ?? [];
    const name = (made ?? left)?.toLowerCase();
    // A table that takes the name of another is none that the former build does not know.
    if (name !== undefined && !tables.has(name)) tables.set(name, made !== undefined);
  }
  return statements.flatMap((statement) => {
    const table = tableOf(statement);
    if (table !== undefined && tables.get(table) === true) return [];
    const actions = actionsOf(statement);
    const broken = [
      ...RULES.filter(([pattern]) => pattern.test(statement)),
      ...ACTION_RULES.filter(([pattern]) => actions.some((action) => pattern.test(action))),
      ...actions.flatMap(faultsOfColumn),
    ];
    return broken
      .filter(([, needs]) => !stated.has(needs))
      .map(
        ([, needs, why]) =>
          `${why}; say in a line "-- ${needs}: …" why it may: ${shown(statement)}`,
      );
  });
}

/** What is wrong with the column that an action of an ALTER TABLE adds. */
function faultsOfColumn(action) {
  const [, definition] = ADDED_COLUMN.exec(action.replaceAll(/'(?:[^']|'')*'/g, "''")) ?? [];
  if (definition === undefined) return [];
  const faults = [];
  const filled = /\b(DEFAULT|GENERATED|(small|big)?serial\d?)\b/i;
  if (/\bNOT\s+NULL\b/i.test(definition) && !filled.test(definition)) {
    faults.push([
      ADDED_COLUMN,
      'contract',
      'adds a column that the former build does not fill: give it a default',
    ]);
  }
  if (differsByRow(definition)) {
    faults.push([
      ADDED_COLUMN,
      'lock',
      'rewrites the table, because the value of the column is worked out for each row',
    ]);
  }
  return faults;
}

function differsByRow(definition) {
  if (/\bSTORED\b|\bAS\s+IDENTITY\b|^\s*(small|big)?serial\d?\b/i.test(definition)) return true;
  const [, value = ''] =
    /\bDEFAULT\b([\s\S]*?)(?=\b(?:CHECK|NOT\s+NULL|REFERENCES|UNIQUE|PRIMARY|CONSTRAINT|COLLATE)\b|$)/i.exec(
      definition,
    ) ?? [];
  // Also a function of ours: it is volatile unless it says otherwise.
  return [...value.matchAll(/(\w+)\s*\(/g)].some(([, called]) => !WORKED_OUT_ONCE.test(called));
}

/** The actions of an ALTER TABLE: they stand between commas that are in no parentheses and no quotes. */
function actionsOf(statement) {
  const head = new RegExp(
    `^ALTER\\s+TABLE\\s+(?:IF\\s+EXISTS\\s+)?(?:ONLY\\s+)?${NAME}(?:\\.${NAME})?\\s*\\*?`,
    'i',
  ).exec(statement)?.[0];
  if (head === undefined) return [];
  const actions = [''];
  let depth = 0;
  for (const [token] of statement
    .slice(head.length)
    .matchAll(/'(?:[^']|'')*'|"[^"]*"|[(),]|[^'"(),]+|[\s\S]/g)) {
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    if (token === ',' && depth === 0) actions.push('');
    else actions[actions.length - 1] += token;
  }
  return actions.map((one) => one.trim());
}

const MADE_OR_LEFT =
  /^(?:CREATE\s+(?:TABLE|VIEW)\s+(?:IF\s+NOT\s+EXISTS\s+)?"?(\w+)"?|(?:DROP\s+(?:TABLE|VIEW)\s+(?:IF\s+EXISTS\s+)?|ALTER\s+TABLE\s+(?=[^;]*\bRENAME\s+TO\b))"?(\w+)"?)/i;
const NAMES = [
  /^(?:CREATE\s+OR\s+REPLACE|DROP)\s+VIEW\s+(?:IF\s+EXISTS\s+)?"?(\w+)"?/i,
  /^(?:CREATE|ALTER|DROP)\s+POLICY\b[^;]*?\bON\s+"?(\w+)"?/i,
  /^CREATE\s+(?:OR\s+REPLACE\s+)?(?:CONSTRAINT\s+)?TRIGGER\b[^;]*?\bON\s+"?(\w+)"?/i,
  /^DROP\s+(?:TRIGGER|RULE)\b[^;]*?\bON\s+"?(\w+)"?/i,
  /^CREATE\s+(?:OR\s+REPLACE\s+)?RULE\b[^;]*?\bTO\s+"?(\w+)"?/i,
  /^(?:ALTER|DROP)\s+TABLE\s+(?:IF\s+EXISTS\s+)?(?:ONLY\s+)?"?(\w+)"?/i,
  /^CREATE\s+(?:UNIQUE\s+)?INDEX\b[^;]*?\bON\s+(?:ONLY\s+)?"?(\w+)"?/i,
  /^UPDATE\s+(?:ONLY\s+)?"?(\w+)"?/i,
  /^DELETE\s+FROM\s+(?:ONLY\s+)?"?(\w+)"?/i,
];

function tableOf(statement) {
  for (const pattern of NAMES) {
    const found = pattern.exec(statement);
    if (found) return found[1].toLowerCase();
  }
  return undefined;
}

/** The statements in a DO block run too; the body of a function does not. */
function withBlocks(statement) {
  const body = /^DO\s+(?:LANGUAGE\s+\w+\s+)?(\$\w*\$)([\s\S]*)\1/i.exec(statement)?.[2];
  if (body === undefined) return [statement.replaceAll(/(\$\w*\$)[\s\S]*?\1/g, "''")];
  const inner = statementsOf(body.replaceAll(/\b(BEGIN|THEN|LOOP|ELSE|DECLARE)\b/gi, ';'));
  // EXECUTE 'text' and EXECUTE format('text', …) run the text.
  return inner.map((one) =>
    one.replace(/^EXECUTE\s+(?:format\s*\(\s*)?'((?:[^']|'')*)'[\s\S]*$/i, '$1').trim(),
  );
}

/** Without comments, split at the semicolons that are in no string and no dollar quotes. */
function statementsOf(sql) {
  const TOKEN = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|(\$\w*\$)[\s\S]*?\1|;|[^;'$/-]+|[\s\S]/g;
  const statements = [''];
  for (const [token] of sql.matchAll(TOKEN)) {
    if (token === ';') statements.push('');
    else if (!token.startsWith('--') && !token.startsWith('/*'))
      statements[statements.length - 1] += token;
  }
  return statements.map((one) => one.trim()).filter((one) => one !== '');
}

function shown(statement) {
  const line = statement.replaceAll(/\s+/g, ' ');
  return line.length > 90 ? `${line.slice(0, 90)}…` : line;
}

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
    /^ALTER\s+(TABLE|VIEW|FUNCTION|TYPE|INDEX|SEQUENCE)\b[^;]*\bRENAME\b/i,
    'contract',
    'renames what the former build may use',
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
    /^ALTER\s+TABLE\b[^;]*\bADD\s+(CONSTRAINT\s+\w+\s+)?(CHECK|UNIQUE|FOREIGN\s+KEY|PRIMARY\s+KEY|EXCLUDE)\b(?![^;]*\bNOT\s+VALID\b)/i,
    'lock',
    'reads the whole table under a lock',
  ],
  [/^CREATE\s+INDEX\b/i, 'lock', 'stops writes until the index is made'],
  [
    /^(UPDATE|DELETE\s+FROM|TRUNCATE)\b/i,
    'lock',
    'locks the rows that it changes until the migration ends',
  ],
  [/^(CLUSTER|REINDEX|VACUUM\s+FULL|LOCK)\b/i, 'lock', 'locks a table'],
];
const ADDED_COLUMN =
  /\bADD\s+(?:COLUMN\s+)?(?:IF\s+NOT\s+EXISTS\s+)?(?!CONSTRAINT\b|CHECK\b|UNIQUE\b|FOREIGN\b|PRIMARY\b|EXCLUDE\b)("?\w+"?)((?:'[^']*'|\([^()]*(?:\([^()]*\)[^()]*)*\)|[^,;])*)/gi;

/**
 * The faults of one migration, each with the statement; none of what concerns tables that came
 * with the same release, because the former build does not know them.
 *
 * @param newTables names of tables that migrations of this release make; those of this text are added.
 */
export function faultsOf(sql, newTables = new Set()) {
  const stated = new Set([...sql.matchAll(STATED)].map(([, kind]) => kind));
  const statements = statementsOf(sql).flatMap(withBlocks);
  for (const statement of statements) {
    const made = /^CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?"?(\w+)"?/i.exec(statement);
    if (made) newTables.add(made[1].toLowerCase());
  }
  return statements.flatMap((statement) => {
    const table = tableOf(statement);
    if (table !== undefined && newTables.has(table)) return [];
    const broken = RULES.filter(([pattern]) => pattern.test(statement));
    if (addsRequiredColumn(statement)) {
      broken.push([
        ADDED_COLUMN,
        'contract',
        'adds a column that the former build does not fill: give it a default',
      ]);
    }
    return broken
      .filter(([, needs]) => !stated.has(needs))
      .map(
        ([, needs, why]) =>
          `${why}; say in a line "-- ${needs}: …" why it may: ${shown(statement)}`,
      );
  });
}

function addsRequiredColumn(statement) {
  if (!/^ALTER\s+TABLE\b/i.test(statement)) return false;
  return [...statement.matchAll(ADDED_COLUMN)].some(
    ([, , rest]) => /\bNOT\s+NULL\b/i.test(rest) && !/\b(DEFAULT|GENERATED)\b/i.test(rest),
  );
}

const NAMES = [
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

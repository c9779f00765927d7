import type { Examples } from '@cls/shared/cli/command-line';

/** What the help of each command shows. */
export const EXAMPLES: Examples = {
  import: [
    'cls-api import statement.csv --profile world-bank-ibrd',
    'cls-api import statement.csv --html report.html --changes changes.csv',
    'cls-api import statement.csv --rows 9289 --control due=283040726064.12 --apply',
  ],
  'import inspect': [
    'cls-api import inspect tape.csv',
    'cls-api import inspect tape.xlsx --sheet Loans --out profile.yaml',
  ],
  'import profiles put': ['cls-api import profiles put tape.json'],
  'import profiles list': ['cls-api import profiles list'],
  'import profiles show': ['cls-api import profiles show tape'],
  'import profiles delete': ['cls-api import profiles delete tape'],
  'imports list': ['cls-api imports list --json'],
  'imports assign': ['cls-api imports assign world-bank agent-bank'],
  'imports revert': ['cls-api imports revert imp_01J9ZQ5W1XG8K7N4T2M6P3R0SV --apply'],
  bill: ['cls-api bill --through 2025-06-30'],
  'journals export': [
    'cls-api journals export --out book.ndjson',
    'cls-api journals export --from-seq 1205',
  ],
  'journals import': ['cls-api journals import book.ndjson --apply'],
  'entitlements grant': [
    'cls-api entitlements grant --customer bank --role agent --country IN',
    'cls-api entitlements grant --customer bank --role lender --lender pty_01J9ZQ5W1XG8K7N4T2M6P3R0SV --all',
  ],
  'entitlements list': ['cls-api entitlements list --customer bank'],
  'entitlements revoke': ['cls-api entitlements revoke 7'],
  'deals list': ['cls-api deals list --search "Power" --limit 20'],
  'parties list': ['cls-api parties list --search IN'],
  'parties rename': [
    'cls-api parties rename pty_01J9ZQ5W1XG8K7N4T2M6P3R0SV --name "Ministry of Works" --from 2025-03-31 --reason "misspelt in the statement" --apply',
  ],
  'versions contacts set': [
    'cls-api versions contacts set --customer bank --email api-team@bank.example',
    'cls-api versions contacts set --customer bank --webhook https://hooks.bank.example/cls',
  ],
  'versions contacts list': ['cls-api versions contacts list --customer bank'],
  'versions contacts remove': [
    'cls-api versions contacts remove --customer bank --email api-team@bank.example',
  ],
  'versions notices': [
    'cls-api versions notices --api-version v1 --json',
    'cls-api versions notices --customer bank --retry-failed',
  ],
  'versions retire': [
    'cls-api versions retire v1',
    'cls-api versions retire v1 --force --by "Ada Lovelace" --reason "the bank was told by telephone"',
  ],
  'versions usage': ['cls-api versions usage --days 30 --api-version v1'],
  'tasks run': ['cls-api tasks run reconcile'],
  'tasks done': ['cls-api tasks done backup'],
  'tasks list': ['cls-api tasks list'],
  reconcile: ['cls-api reconcile --json'],
  'ledger head': ['cls-api ledger head --json > head.json'],
  'ledger verify': ['cls-api ledger verify --head head.json'],
  'ledger export': ['cls-api ledger export --out ledger.ndjson'],
  'periods close': ['cls-api periods close --through 2025-03-31 --reason "first quarter reported"'],
  'periods reopen': ['cls-api periods reopen --from 2025-03-01 --reason "late notice of 12 March"'],
  reads: [
    'cls-api reads --client svc_01J9ZQ5W1XG8K7N4T2M6P3R0SV --since 2026-11-01',
    'cls-api reads --deal deal_01J9ZQ5W1XG8K7N4T2M6P3R0SV --since 2026-11-01 --json',
    'cls-api reads --customer bank --since 2026-11-01 --until 2026-12-01 --out reads.ndjson',
  ],
  'periods list': ['cls-api periods list'],
  'fx add': ['cls-api fx add --date 2025-03-31 --from EUR --to USD --rate 1.0815 --source ECB'],
  'fx list': ['cls-api fx list --from EUR'],
  'token explain': [
    'cls-api token explain < token.txt',
    'cls-api token explain --json < token.txt',
  ],
  'contract diff': [
    'cls-api contract diff openapi-before.yaml openapi-after.yaml',
    'cls-api contract diff v1.json v2.json --ignore-servers --json',
  ],
  'after-restore': ['cls-api after-restore'],
  'book export': ['cls-api book export book.cls'],
  'book import': ['cls-api book import book.cls'],
  check: ['cls-api check', 'cls-api check --json'],
  migrate: ['cls-api migrate', 'cls-api migrate --check'],
};

import type { Examples } from '@cls/shared/cli/command-line';

const ID = 'app_01J9ZQ5W1XG8K7N4T2M6P3R0SV';
const SECRET = 'sec_01J9ZQ5W1XG8K7N4T2M6P3R0SV';
const SVC = 'svc_01J9ZQ5W1XG8K7N4T2M6P3R0SV';

/** What the help of each command shows. */
export const EXAMPLES: Examples = {
  'customers create': ['cls-auth customers create bank --name "Bank"'],
  'customers list': ['cls-auth customers list --json'],
  'customers rename': ['cls-auth customers rename bank --name "Bank of the South"'],
  'customers delete': ['cls-auth customers delete bnak'],
  'customers disable': ['cls-auth customers disable bank'],
  'customers enable': ['cls-auth customers enable bank'],
  'customers security-contact': [
    'cls-auth customers security-contact bank --email security@bank.example --language de',
    'cls-auth customers security-contact bank --webhook https://hooks.bank.example/cls',
    'cls-auth customers security-contact bank --remove webhook',
  ],
  'customers offboard': [
    'cls-auth customers offboard bank',
    'cls-auth customers offboard bank --audit bank-audit.ndjson --apply',
  ],
  'service-accounts create': [
    'cls-auth service-accounts create --name "Bank ledger" --customer bank --permission cls-deal.view',
    'cls-auth service-accounts create --name "Bank risk" --customer bank --permission cls-deal.view --auth-method private_key_jwt --jwks-uri https://bank.example/jwks.json',
  ],
  'service-accounts list': ['cls-auth service-accounts list --json'],
  'service-accounts update': [
    `cls-auth service-accounts update ${SVC} --permission cls-deal.view cls-accounts.manage`,
    `cls-auth service-accounts update ${SVC} --auth-method private_key_jwt --jwks jwks.json`,
  ],
  'service-accounts delete': [`cls-auth service-accounts delete ${SVC}`],
  'service-accounts compromised': [
    `cls-auth service-accounts compromised ${SVC}`,
    `cls-auth service-accounts compromised ${SVC} --found-at https://git.example/bank/ledger/blob/main/.env`,
  ],
  'service-accounts disable': [`cls-auth service-accounts disable ${SVC}`],
  'service-accounts enable': [`cls-auth service-accounts enable ${SVC}`],
  'applications create': [
    'cls-auth applications create --name Portal --confidential --redirect-uri https://portal.example/callback',
    'cls-auth applications create --name "Old wiki" --confidential --without-pkce --redirect-uri https://wiki.example/callback',
    'cls-auth applications create --name "Loan page" --redirect-uri https://page.example/ --allow-origin https://page.example',
    'cls-auth applications create --name "Ledger tool" --device --scope openid cls-deal.view',
    'cls-auth applications create --name "Bank portal" --redirect-uri https://portal.bank.example/callback --auth-method private_key_jwt --jwks-uri https://portal.bank.example/jwks.json --binding dpop --fapi2',
  ],
  'applications list': ['cls-auth applications list --json'],
  'applications update': [
    `cls-auth applications update ${ID} --redirect-uri https://portal.example/callback https://new.example/callback`,
    `cls-auth applications update ${ID} --scope openid email`,
  ],
  'applications delete': [`cls-auth applications delete ${ID}`],
  'applications disable': [`cls-auth applications disable ${ID}`],
  'applications enable': [`cls-auth applications enable ${ID}`],
  'secrets list': ['cls-auth secrets list', `cls-auth secrets list --client ${SVC} --json`],
  'secrets create': [`cls-auth secrets create ${SVC} --name "month end job" --ends-in 90d`],
  'secrets replace': [
    `cls-auth secrets replace ${SVC} --keep-old-for 7d`,
    `cls-auth secrets replace ${SECRET}`,
  ],
  'secrets revoke': [`cls-auth secrets revoke ${SECRET}`],
  'accounts create': [
    'cls-auth accounts create test@bank.example --customer bank --permission cls-deal.view --generate-password',
  ],
  'accounts invite': [
    'cls-auth accounts invite asha@bank.example --customer bank --permission cls-deal.view --language de',
  ],
  'accounts list': ['cls-auth accounts list --json'],
  'accounts events': ['cls-auth accounts events asha@bank.example --limit 20'],
  'accounts rename': ['cls-auth accounts rename asha@bank.example --name "Asha Rao"'],
  'accounts set-permissions': [
    'cls-auth accounts set-permissions asha@bank.example --permission cls-deal.view',
  ],
  'accounts delete': ['cls-auth accounts delete ahsa@bank.example'],
  'accounts replace-password': [
    'cls-auth accounts replace-password test@bank.example --generate-password',
  ],
  'accounts enrol-totp': ['cls-auth accounts enrol-totp test@bank.example'],
  'accounts remove-totp': ['cls-auth accounts remove-totp test@bank.example'],
  'accounts disable': ['cls-auth accounts disable asha@bank.example'],
  'accounts enable': ['cls-auth accounts enable asha@bank.example'],
  'accounts reset-factors': ['cls-auth accounts reset-factors asha@bank.example'],
  'accounts erase': [
    'cls-auth accounts erase asha@bank.example',
    'cls-auth accounts erase asha@bank.example --apply',
  ],
  'accounts end-sessions': ['cls-auth accounts end-sessions asha@bank.example'],
  'upstream add': [
    'cls-auth upstream add bank.example --customer bank --issuer https://login.bank.example --client-id cls < client-secret',
  ],
  'upstream list': ['cls-auth upstream list --json'],
  'upstream replace-secret': ['cls-auth upstream replace-secret bank.example < client-secret'],
  'upstream remove': ['cls-auth upstream remove bank.example'],
  'keys create': ['cls-auth keys create'],
  'token explain': ['cls-auth token explain < token.txt'],
  'keys list': ['cls-auth keys list --json'],
  'keys rotate': ['cls-auth keys rotate', 'cls-auth keys rotate --emergency'],
  'keys stage': ['cls-auth keys stage'],
  'keys promote': ['cls-auth keys promote'],
  'keys remove': ['cls-auth keys remove 3Zk1pQ'],
  'audit list': [
    'cls-auth audit list --account asha@bank.example --since 7d',
    `cls-auth audit list --client ${SVC} --type token.refused --since 2026-05-17 --until 2026-05-18`,
    'cls-auth audit list --type key.* --json',
  ],
  'audit verify': ['cls-auth audit verify', `cls-auth audit verify --head ${'5f'.repeat(32)}:1207`],
  'audit months': ['cls-auth audit months', 'cls-auth audit months --count --json'],
  'tasks run': ['cls-auth tasks run audit-export --folder /var/lib/cls-auth-task'],
  'tasks done': ['cls-auth tasks done backup'],
  'tasks list': ['cls-auth tasks list'],
  'audit export': ['cls-auth audit export 2026-05 audit-2026-05.ndjson'],
  'audit resolve': ['cls-auth audit resolve acc_01J9ZQ5W1XG8K7N4T2M6P3R0SV'],
  'audit drop': ['cls-auth audit drop 2026-05 --exported audit-2026-05.ndjson --apply'],
  export: [
    'cls-auth export installation.age < passphrase',
    'cls-auth export installation.age --recipient age1…',
  ],
  'after-restore': ['cls-auth after-restore'],
  import: [
    'cls-auth import installation.age < passphrase',
    'cls-auth import installation.age --identity key.txt',
  ],
  check: ['cls-auth check', 'cls-auth check --json'],
  migrate: ['cls-auth migrate', 'cls-auth migrate --check'],
};

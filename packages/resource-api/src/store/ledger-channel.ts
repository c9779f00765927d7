/** NOTIFY channel of the migrations: the ledger or who sees it has changed. */
export const LEDGER_CHANNEL = 'cls_ledger_change';

import type { Sealer } from '@cls/shared/seal';
import type { TaskRuns } from '@cls/shared/sql/task-runs';
import type { EntitlementRecords } from '../access/entitlement.ts';
import type { BillingBook } from '../billing/bill-accruals.ts';
import type { BookRestores } from '../chain/book-restore.ts';
import type { LedgerChain } from '../chain/ledger-chain.ts';
import type { WholeBook } from '../chain/whole-book.ts';
import type { FxRates } from '../fx/fx-rates.ts';
import type { Book } from '../import/book.ts';
import type { ImportProfiles } from '../import/jobs/import-profiles.ts';
import type { JournalStore } from '../journal-file/journal-store.ts';
import type { NoticeContacts, NoticeOutbox } from '../notices/notice-outbox.ts';
import type { RetirementRecords } from '../notices/retirement.ts';
import type { Directory } from '../parties/directory.ts';
import type { PartyNames } from '../parties/party-names.ts';
import type { PeriodRecords } from '../periods/period-records.ts';
import type { ReadRecords } from '../reads/read-record.ts';
import type { Reconciler } from '../reconcile/reconciler.ts';
import type { UsageReader } from '../usage/sum-usage.ts';

/** What a command works with. */
export interface Operator {
  readonly taskRuns: TaskRuns;
  readonly book: Book;
  readonly importProfiles: ImportProfiles;
  readonly journals: JournalStore;
  readonly billing: BillingBook;
  readonly entitlements: EntitlementRecords;
  readonly directory: Directory;
  readonly reconciler: Reconciler;
  readonly chain: LedgerChain;
  readonly wholeBook: WholeBook;
  readonly restores: BookRestores;
  readonly periods: PeriodRecords;
  readonly fxRates: FxRates;
  readonly partyNames: PartyNames;
  /** What Redis and the database have counted. */
  readonly usage: UsageReader;
  readonly reads: ReadRecords;
  readonly contacts: NoticeContacts;
  readonly notices: Pick<NoticeOutbox, 'list' | 'retryFailed' | 'toldOf'>;
  readonly retirements: RetirementRecords;
  readonly webhooks: WebhookSettings;
}

export interface WebhookSettings {
  /** Why notices are not sent to a URL; undefined where they may be. */
  readonly targetFault: (target: string) => string | undefined;
  /** Undefined where no key is configured. */
  readonly sealer: () => Sealer | undefined;
}

/**
 * Opens the store, works, and closes it again.
 *
 * @param how `mayCreate` for a command that makes the first thing in a store, and the store with it;
 *   `owner` for one that needs the role that owns the schema.
 */
export type AsOperator = <T>(
  work: (operator: Operator) => Promise<T>,
  how?: { readonly mayCreate?: boolean; readonly owner?: boolean },
) => Promise<T>;

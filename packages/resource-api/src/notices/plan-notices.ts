import { newId } from '@cls/shared/new-id';
import type { CallerUse } from '../usage/version-usage.ts';
import { affectedCalls } from './affected-calls.ts';
import { noticeDocument } from './notice-document.ts';
import type { NoticeOutbox } from './notice-outbox.ts';
import type { DueNotice } from './notice-stage.ts';

/**
 * Puts the notices that are due into the outbox: for each customer that used what they are about,
 * one for each of its contacts. Done again, or by another replica, it adds what is missing alone.
 *
 * @returns customers that used it and have no contact: nobody can tell them.
 */
export async function planNotices(
  outbox: NoticeOutbox,
  contacts: ReadonlySet<string>,
  due: readonly DueNotice[],
  recentUse: readonly CallerUse[],
  now: Date,
  policyUrl: string,
): Promise<readonly string[]> {
  const unreachable = new Set<string>();
  for (const one of due) {
    await outbox.replaceEarlier(one, now);
    const calls = affectedCalls(recentUse, one);
    const missing = await outbox.missing(one, [...calls.keys()]);
    const notices = missing.map((contact) => {
      const own = calls.get(contact.customer) ?? [];
      const document = noticeDocument(one, contact.customer, own, now, policyUrl);
      return { ...contact, id: newId('ntc'), document: JSON.stringify(document) };
    });
    if (notices.length > 0) await outbox.add(one, notices, now);
    for (const customer of calls.keys()) if (!contacts.has(customer)) unreachable.add(customer);
  }
  return [...unreachable].sort();
}

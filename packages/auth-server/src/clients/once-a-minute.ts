import { LRUCache } from 'lru-cache';

const SUBJECTS_MAX = 10_000;

/** Whether the subject was not asked about within the last minute; the ones that are asked about most are known. */
export function onceAMinute(): (subject: string) => boolean {
  const told = new LRUCache<string, true>({ max: SUBJECTS_MAX, ttl: 60_000 });
  return (subject) => {
    if (told.has(subject)) return false;
    told.set(subject, true);
    return true;
  };
}

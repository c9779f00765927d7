import { type Memories, openMemories } from '../memory/memories.ts';

/** What a caller has used of its limits; each limit has its own part. */
export interface CallerUsage {
  lease?: { points: number; left: number; endsMs: number };
  window?: { points: number; begunMs: number };
  statements?: { spentMs: number; atMs: number };
}

export type CallersUsage = (caller: string) => CallerUsage;

/** Of callers that were counted the longest ago, nothing is known. */
export function callersUsage(memories: Memories = openMemories()): CallersUsage {
  const callers = memories.open<string, CallerUsage>('callers');
  return (caller) => {
    const known = callers.get(caller);
    if (known !== undefined) return known;
    const fresh = {};
    callers.set(caller, fresh);
    return fresh;
  };
}

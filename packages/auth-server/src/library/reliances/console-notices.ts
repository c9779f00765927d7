/**
 * The library says some things with `console.warn` and `console.info`, one of them while it is loaded:
 * that it prefers a newer Node. The services write JSON lines, so these become such lines. Loading this
 * module is what takes them: import it before the library.
 */
import type { Log } from '@cls/shared/log';

const SAYS = /oidc-provider (?:WARNING|NOTICE): (\P{Cc}*)/u; // In colours on a terminal.
type Level = 'warn' | 'info';
type Tell = (level: Level, reason: string) => void;

const early: [Level, string][] = [];
let tell: Tell = (level, reason) => void early.push([level, reason]);

for (const level of ['warn', 'info'] as const) {
  const write = console[level];
  console[level] = (...words: unknown[]) => {
    const [, reason] = SAYS.exec(String(words[0])) ?? [];
    if (reason === undefined) write.apply(console, words);
    else tell(level, reason.trim());
  };
}

/** Logs what the library has said until now, and what it says from now on. */
export function logNotices(log: Pick<Log, Level>): void {
  tell = (level, reason) => log[level]({ reason }, 'oidc-provider has a remark');
  for (const [level, reason] of early.splice(0)) tell(level, reason);
}

import type { ImportProgress } from '../import-report.ts';
import { grouped } from './section.ts';

/** @param seconds since the step began; in the first one a rate would say nothing. */
export function progressText({ step, rows, of, done }: ImportProgress, seconds: number): string {
  const what = step === 'reading' ? 'rows' : `of ${grouped(`${of ?? rows}`)} loans`;
  const progress = `${step}: ${grouped(`${rows}`)} ${what}`;
  if (seconds < 1 || done <= 0) return progress;
  const rate = grouped(`${Math.round(rows / seconds)}`);
  const left = (seconds * (1 - done)) / done;
  const told = left < 120 ? `${Math.ceil(left)} s` : `${Math.round(left / 60)} min`;
  return `${progress}, ${rate} a second, about ${told} left`;
}

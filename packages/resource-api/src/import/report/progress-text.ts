import type { ImportProgress } from '../import-report.ts';
import { grouped } from './section.ts';

/** @param seconds since the step began; in the first one a rate would say nothing. */
export function progressText({ step, rows, of, done }: ImportProgress, seconds: number): string {
  const what = step === 'reading' ? 'rows' : `of ${grouped(`${of ?? rows}`)} loans`;
  const progress = `${step}: ${grouped(`${rows}`)} ${what}`;
  if (seconds < 1 || done <= 0) return progress;
  const rate = grouped(`${Math.round(rows / seconds)}`);
  return `${progress}, ${rate} a second, about ${durationOf((seconds * (1 - done)) / done)} left`;
}

function durationOf(seconds: number): string {
  return seconds < 120 ? `${Math.ceil(seconds)} s` : `${Math.round(seconds / 60)} min`;
}

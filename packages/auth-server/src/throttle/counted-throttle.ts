import type { Metrics } from '@cls/shared/metrics/metrics';
import { THROTTLE_KINDS, type Throttle } from './throttle.ts';

/** Counts attempts that are refused because there were too many before. */
export function countedThrottle(throttle: Throttle, metrics: Metrics): Throttle {
  if (!metrics.measuring) return throttle;
  const refused = metrics.counter({
    name: 'cls_throttled_total',
    help: 'Attempts that were refused because of those before, by what was tried.',
    labels: { tried: THROTTLE_KINDS },
  });
  return {
    ...throttle,
    async admit(subjects) {
      const admission = await throttle.admit(subjects);
      // The address comes first, and what was tried after it.
      if (!admission.admitted) refused({ tried: subjects.at(-1)?.kind ?? '' });
      return admission;
    },
  };
}

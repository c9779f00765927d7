import { setFlagsFromString } from 'node:v8';

/**
 * V8 takes memory back once old objects have grown by half. Left alone it waits until they have grown several
 * times, and a statement of a million rows takes twice the memory for a tenth less time.
 */
export function leanHeap(): void {
  setFlagsFromString('--heap-growing-percent=50');
}

import type { Component } from '../../ledger/balance.ts';
import type { Level } from './balance-store.ts';

/**
 * The commitment of a sublimit is a part of its facility's. Where both are added up, these amounts count
 * once: those of the sublimit are left out.
 */
export const COUNTED_ONCE: readonly Component[] = [
  'original_commitment',
  'cancelled_commitment',
  'unfunded',
  'unavailable',
];

/** Whether a sublimit may stand beside the facility that it is carved out of. */
export function hasSublimits(level: Level): boolean {
  return level === 'facility' || level === 'position';
}

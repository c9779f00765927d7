import { hash } from 'node:crypto';

const WORDS = 4;
const LOAD_MAX = 0.6;

/**
 * A set of ids that keeps 128 bits of each one's SHA-256 and nothing else: 30 to 60 bytes an id,
 * where strings would take hundreds. That two ids share them is less likely than a broken disk.
 */
export class IdSet {
  #slots = new Uint32Array(1024 * WORDS);
  #size = 0;

  has(id: string): boolean {
    return this.#filled(this.#slotOf(this.#slots, fingerprint(id)));
  }

  /** @returns false when the id was there before. */
  add(id: string): boolean {
    if (this.#size >= (this.#slots.length / WORDS) * LOAD_MAX) this.#grow();
    const print = fingerprint(id);
    const slot = this.#slotOf(this.#slots, print);
    if (this.#filled(slot)) return false;
    this.#slots.set(print, slot);
    this.#size += 1;
    return true;
  }

  #filled(slot: number): boolean {
    return this.#slots[slot] !== 0;
  }

  /** Where the fingerprint is, or where it belongs. */
  #slotOf(slots: Uint32Array, print: Uint32Array): number {
    const count = slots.length / WORDS;
    for (let at = (print[1] ?? 0) % count; ; at = (at + 1) % count) {
      const slot = at * WORDS;
      if (slots[slot] === 0 || isAt(slots, slot, print)) return slot;
    }
  }

  #grow(): void {
    const larger = new Uint32Array(this.#slots.length * 2);
    for (let slot = 0; slot < this.#slots.length; slot += WORDS) {
      const print = this.#slots.subarray(slot, slot + WORDS);
      if (print[0] !== 0) larger.set(print, this.#slotOf(larger, print));
    }
    this.#slots = larger;
  }
}

function isAt(slots: Uint32Array, slot: number, print: Uint32Array): boolean {
  for (let index = 0; index < WORDS; index += 1) {
    if (slots[slot + index] !== print[index]) return false;
  }
  return true;
}

/** Its first word is never 0, which marks a free slot. */
function fingerprint(id: string): Uint32Array {
  const digest = hash('sha256', id, 'buffer');
  const words = new Uint32Array(WORDS);
  for (let index = 0; index < WORDS; index += 1) words[index] = digest.readUInt32LE(index * 4);
  words[0] = (words[0] ?? 0) | 1;
  return words;
}

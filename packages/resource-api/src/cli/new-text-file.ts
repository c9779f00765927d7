import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { CommandRefused } from '@cls/shared/cli/command-line';

/** A disk that is full is noticed early. */
const CHUNK_CHARACTERS = 16 * 1024;

/**
 * A file that is written as lines come, without anybody waiting for the disk. It gets its name when all
 * of it is there; nobody else may read it.
 */
export class NewTextFile {
  readonly #path: string;
  readonly #partial: string;
  #file: number | undefined;
  #text = '';

  /** @throws {CommandRefused} when the file is there already, or cannot be written. */
  constructor(path: string) {
    this.#path = path;
    this.#partial = `${path}.${randomBytes(4).toString('hex')}.partial`;
    this.#requireNew();
    this.#file = this.#try(() => openSync(this.#partial, 'wx', 0o600));
  }

  /** @throws {CommandRefused} when the disk takes no more; nothing of the file is then left. */
  write(text: string): void {
    this.#text += text;
    if (this.#text.length >= CHUNK_CHARACTERS) this.#flush();
  }

  /** Gives the file its name. @throws {CommandRefused} */
  finish(): void {
    this.#flush();
    const file = this.#file;
    if (file === undefined) return;
    this.#try(() => {
      fsyncSync(file);
      this.#requireNew();
      renameSync(this.#partial, this.#path);
      closeSync(file);
    });
    this.#file = undefined;
  }

  /** Leaves nothing of a file that was not finished. */
  discard(): void {
    if (this.#file === undefined) return;
    closeSync(this.#file);
    unlinkSync(this.#partial);
    this.#file = undefined;
  }

  #requireNew(): void {
    if (!existsSync(this.#path)) return;
    throw new CommandRefused(`${this.#path} cannot be written: it is there already`);
  }

  #flush(): void {
    const bytes = Buffer.from(this.#text);
    this.#text = '';
    this.#try(() => {
      for (let at = 0; at < bytes.length && this.#file !== undefined; ) {
        at += writeSync(this.#file, bytes, at);
      }
    });
  }

  #try<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.discard();
      if (error instanceof CommandRefused) throw error;
      const { code } = error as NodeJS.ErrnoException;
      throw new CommandRefused(`${this.#path} cannot be written: ${code}`);
    }
  }
}

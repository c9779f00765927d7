import { fstatSync, write, writeSync } from 'node:fs';

/** How long a line waits for others, in milliseconds: a write costs more than making a line. */
const GATHER_MS = 20;
/** Until the next try, where a pipe is full, and where the disk is. */
const PIPE_AGAIN_MS = 5;
const DISK_AGAIN_MS = 200;
/** Bytes that wait while standard output takes none, as a file on a full disk. What is more is lost. */
const WAITING_MAX = 4 * 1024 * 1024;
/** How long an exit waits for a log that takes nothing. */
const EXIT_MS = 2_000;

const STDOUT = 1;
const NOTHING = Buffer.alloc(0);

type Written = (error: NodeJS.ErrnoException | null, bytes: number) => void;

/**
 * Standard output, for lines of a log. A log that cannot be written stops nothing: lines wait, and a
 * line says how many were lost. What waits when the process exits, after an uncaught error too, is
 * written then, as far as that is possible within two seconds.
 */
export function gatheredLines(): { write(line: string): void } {
  const attempt = writerOf(STDOUT);
  let waiting = '';
  /** What a write has left. It may begin in the middle of a line. */
  let rest: Buffer = NOTHING;
  let lost = 0;
  let underWay = false;
  let scheduled = false;

  const take = () => {
    if (rest.length > 0 || waiting === '') return;
    rest = Buffer.from(lost === 0 ? waiting : `${lossOf(lost)}${waiting}`);
    waiting = '';
    lost = 0;
  };
  const writeAfter = (ms: number) => {
    if (scheduled) return;
    scheduled = true;
    // A process that has nothing else to do ends, and writes at its exit.
    setTimeout(() => {
      scheduled = false;
      writeOn();
    }, ms).unref();
  };
  const written: Written = (error, bytes) => {
    underWay = false;
    rest = rest.subarray(bytes);
    if (error === null) {
      if (rest.length > 0) writeOn();
      else if (waiting !== '') writeAfter(GATHER_MS);
    } else if (error.code === 'EPIPE')
      rest = NOTHING; // Nobody will ever read it.
    else writeAfter(error.code === 'EAGAIN' ? PIPE_AGAIN_MS : DISK_AGAIN_MS);
  };
  const writeOn = () => {
    if (underWay) return;
    take();
    if (rest.length === 0) return;
    underWay = true;
    attempt(rest, written);
  };
  process.once('exit', () => {
    // The process does not end before a write that is under way.
    if (underWay) rest = NOTHING;
    const deadline = performance.now() + EXIT_MS;
    for (take(); rest.length > 0 && performance.now() < deadline; take()) {
      try {
        rest = rest.subarray(writeSync(STDOUT, rest));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EPIPE') return;
        sleep(PIPE_AGAIN_MS);
      }
    }
  });
  return {
    write(line) {
      if (waiting.length + rest.length + line.length > WAITING_MAX) {
        lost += 1;
        return;
      }
      waiting += line;
      writeAfter(GATHER_MS);
    },
  };
}

/**
 * A file is written by a thread, because its disk may be slow. A pipe or a socket is made non-blocking:
 * a thread that waits for a reader who does not come would keep the process from its end.
 */
function writerOf(fd: number): (bytes: Buffer, done: Written) => void {
  // Not without `bigint`: Node resolves no symbolic link of the next import where the last plain result was of a
  // pipe or a socket (`realpathSync` looks at it).
  const stat = fstatSync(fd, { bigint: true });
  if (!stat.isFIFO() && !stat.isSocket()) return (bytes, done) => write(fd, bytes, done);
  void process.stdout; // Node makes it non-blocking when it opens it.
  return (bytes, done) => {
    let count: number;
    try {
      count = writeSync(fd, bytes);
    } catch (error) {
      done(error as NodeJS.ErrnoException, 0);
      return;
    }
    done(null, count);
  };
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function lossOf(lines: number): string {
  const line = {
    'log.level': 'error',
    '@timestamp': new Date().toISOString(),
    'cls.lines': lines,
    message: 'log lines could not be written, and are lost',
  };
  return `${JSON.stringify(line)}\n`;
}

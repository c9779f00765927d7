import { chmodSync, chownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import { leftSpools, openAuditSpool } from '../src/audit/audit-spool.ts';

const NOBODY = 65_534;

describe('the folder of audit events that wait', () => {
  it('can be closed while another process looks whether anybody left it', async () => {
    const directory = temporaryDirectory('cls-spool-');
    const spool = await openAuditSpool(directory);
    const [name = ''] = readdirSync(directory);
    // What a process leaves there for an instant that asks for the lock.
    mkdirSync(join(directory, name, 'holder.sock.of-another'));
    await spool.close();
    expect(readdirSync(join(directory, name))).to.deep.equal(['holder.sock.of-another']);
  });

  it('holds no file after many were opened, looked at and closed at once', async () => {
    const directory = temporaryDirectory('cls-spool-');
    const openAndClose = async () => {
      for (let round = 0; round < 30; round += 1) {
        const spool = await openAuditSpool(directory);
        spool.append('{}');
        spool.done(spool.read().end);
        await spool.close();
      }
    };
    const takeOver = async () => {
      for (let round = 0; round < 60; round += 1) {
        for await (const left of leftSpools(directory)) {
          left.done(left.read().end);
          await left.close();
        }
        await new Promise(setImmediate);
      }
    };
    await Promise.all([openAndClose(), openAndClose(), takeOver(), takeOver()]);
    await takeOver();
    const files = readdirSync(directory).flatMap((name) => readdirSync(join(directory, name)));
    expect(files).to.deep.equal([]);
  });

  it('is named where another user left it, and does not keep those of this user waiting', async () => {
    const directory = temporaryDirectory('cls-spool-');
    const own = join(directory, 'spool_2');
    const other = join(directory, 'spool_1');
    for (const place of [own, other]) {
      mkdirSync(place);
      writeFileSync(join(place, 'events.jsonl'), '{}\n');
    }
    writeFileSync(join(directory, 'a-file'), '');
    const unreadable: string[] = [];
    const read = await asAnotherUser([directory, own], other, async () => {
      const lines: string[] = [];
      for await (const left of leftSpools(directory, (place) => unreadable.push(place))) {
        lines.push(...left.read().lines);
        await left.close();
      }
      return lines;
    });
    expect(unreadable).to.deep.equal([other]);
    expect(read).to.deep.equal(['{}']);
  });
});

/** Root may read every folder: it becomes another user meanwhile. */
async function asAnotherUser<T>(
  open: readonly string[],
  closed: string,
  work: () => Promise<T>,
): Promise<T> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) {
    for (const place of open) chownSync(place, NOBODY, NOBODY);
    chownSync(join(open.at(-1) ?? '', 'events.jsonl'), NOBODY, NOBODY);
  }
  chmodSync(closed, isRoot ? 0o700 : 0);
  if (isRoot) process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(closed, 0o700);
  }
}

import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import { leftSpools, openAuditSpool } from '../src/audit/audit-spool.ts';

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
});

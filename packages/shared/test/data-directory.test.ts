import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, realpathSync, renameSync, statSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { makeStore } from '@cls/testing/embedded-template';
import { temporaryDirectory } from '@cls/testing/servers';
import { expect } from 'chai';
import { DirectoryUnusable, makeDataDirectory } from '../src/embedded/data-directory.ts';
import {
  openEmbeddedDatabase,
  openEmbeddedDatabaseAsOperator,
} from '../src/embedded/embedded-database.ts';
import { holderAddress, takeHolderSocket } from '../src/embedded/holder-socket.ts';

const newPlace = () => join(temporaryDirectory('cls-data-'), 'database');

async function listen(server: Server, address: string): Promise<void> {
  await new Promise<void>((resolve) => server.listen(address, resolve));
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

describe('who listens in the place of a service that is down', () => {
  let place: string;
  let token: Buffer;
  before(async () => {
    place = newPlace();
    await makeStore(place);
    const database = await openEmbeddedDatabase(place);
    token = readFileSync(join(place, 'operator-token'));
    await database.close();
  });

  const frame = (body: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(body.length);
    return Buffer.concat([length, body]);
  };
  const answers: Record<string, (socket: Socket, bytes: Buffer) => void> = {
    'sends back what it gets': (socket, bytes) => socket.write(bytes),
    'sends a proof of its own': (socket) => socket.write(frame(Buffer.alloc(64, 7))),
    'sends the tool’s own nonce as its own': (socket, bytes) =>
      socket.write(frame(Buffer.concat([bytes.subarray(4), bytes.subarray(4)]))),
    'lets everybody in': (socket) => socket.write(frame(Buffer.alloc(0))),
    'sends a large frame': (socket) => socket.write(Buffer.from([3, 255, 255, 255])),
    'closes the connection': (socket) => socket.end(),
  };
  for (const [does, answer] of Object.entries(answers)) {
    it(`gets no token and no statement when it ${does}`, async () => {
      const received: Buffer[] = [];
      const stranger = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.on('data', (bytes) => {
          received.push(bytes);
          answer(socket, bytes);
        });
      });
      await listen(stranger, holderAddress(place));
      const refused = await openEmbeddedDatabaseAsOperator(place).catch((error: Error) => error);
      expect(refused).to.be.instanceOf(Error).with.property('name', 'DatabaseUnavailable');
      await close(stranger);
      const all = Buffer.concat(received);
      expect(all.length, 'a frame with a nonce').to.equal(36);
      expect(all.includes(token)).to.equal(false);
    });
  }

  it('is not asked at all where it has the name of a socket outside of the directory', async () => {
    if (process.platform !== 'linux') return;
    const digest = createHash('sha256').update(realpathSync(place)).digest('hex').slice(0, 32);
    let asked = 0;
    const stranger = createServer(() => {
      asked += 1;
    });
    await listen(stranger, `\0cls-${digest}`);
    const service = await openEmbeddedDatabase(place);
    const operator = await openEmbeddedDatabaseAsOperator(place);
    expect(await operator.query('SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
    await operator.close();
    await service.close();
    await close(stranger);
    expect(asked).to.equal(0);
  });
});

describe('a data directory', () => {
  it('is closed to other users, with a word', () => {
    const place = newPlace();
    mkdirSync(place);
    for (const mode of [0o755, 0o777, 0o770, 0o701]) {
      chmodSync(place, mode);
      const said: string[] = [];
      makeDataDirectory(place, (sentence) => said.push(sentence));
      expect(said).to.have.length(1);
      expect(said[0])
        .to.include(place)
        .and.include(`mode ${mode.toString(8)}`);
      expect(statSync(place).mode & 0o777).to.equal(0o700);
    }
    makeDataDirectory(place, (sentence) => expect.fail(sentence));
  });

  it('is refused where it belongs to another user', function () {
    if (process.geteuid?.() !== 0 || process.seteuid === undefined) this.skip();
    const parent = temporaryDirectory('cls-data-');
    const place = join(parent, 'database');
    mkdirSync(place);
    for (const folder of [parent, place]) chmodSync(folder, 0o777);
    process.seteuid(65_534);
    try {
      expect(() => makeDataDirectory(place, () => undefined))
        .to.throw(DirectoryUnusable)
        .with.property('message')
        .that.includes('belongs to another user (uid 0)');
    } finally {
      process.seteuid(0);
    }
  });

  it('has one holder, also where a process that ended has left its socket', async () => {
    const place = temporaryDirectory('cls-data-');
    for (let round = 0; round < 20; round += 1) {
      const ended = createServer();
      await listen(ended, join(place, 'ended.sock'));
      renameSync(join(place, 'ended.sock'), holderAddress(place));
      await close(ended);
      const taken = await Promise.all(Array.from({ length: 8 }, () => takeHolderSocket(place)));
      const holders = taken.filter((one) => one !== undefined);
      expect(holders).to.have.length(1);
      await holders[0]?.release();
    }
  });

  it('may have a path that is too long for a socket', async function () {
    if (process.platform !== 'linux') this.skip();
    const place = join(temporaryDirectory('cls-data-'), ...Array(4).fill('x'.repeat(50)));
    await makeStore(place);
    const service = await openEmbeddedDatabase(place);
    const operator = await openEmbeddedDatabaseAsOperator(place);
    expect(await operator.query('SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
    await operator.close();
    await service.close();
  });
});

// What a server took for each answer, by the packets of this machine: from the first packet of a
// connection, or the first byte of a request, to the first byte of its answer; over TLS, the server's
// steps of the handshake and its answer together. The time that the callers' processes take is not in
// it. Needs tcpdump and the right to use it (root).
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Enough for the headers of the packets and the line with the status. */
const SNAP_BYTES = 128;
const GLOBAL_HEADER = 24;
const PACKET_HEADER = 16;
const ETHERNET = 14;
/** Types of records: RFC 5246, 6.2.1. */
const TLS_ALERT = 21;
const TLS_DATA = 23;

export const CAN_CAPTURE =
  spawnSync('tcpdump', ['--version']).status === 0 && process.getuid() === 0;

/** @param tls whether the callers speak TLS 1.2, whose records say what is data and what is not
 * @returns `stop`: ends the capture, and resolves to what it showed */
export async function captureWire(port, tls = false) {
  const file = join(tmpdir(), `cls-wire-${process.pid}.pcap`);
  const words = ['-i', 'lo', '-n', '-U', '-B', '65536', '-s', `${SNAP_BYTES}`, '-w', file];
  const child = spawn('tcpdump', [...words, '-Z', 'root', 'ip', 'and', 'tcp', 'port', `${port}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (part) => {
    said += part;
  });
  while (!said.includes('listening on')) await once(child.stderr, 'data');
  return async () => {
    const ended = once(child, 'close');
    child.kill('SIGINT');
    await ended;
    const packets = readFileSync(file);
    rmSync(file);
    const lost = Number(/(\d+) packets dropped/.exec(said)?.[1] ?? 0);
    return { ...timesOf(packets, port, tls), lost };
  };
}

/**
 * @returns `answers`: milliseconds by status, or by the caller's port where TLS hides the status;
 *   `resets`: connections that the server cut without an answer; `repeated`: connections whose first
 *   packet had to be sent again
 */
function timesOf(packets, port, tls) {
  const connections = new Map();
  const answers = new Map();
  let [resets, repeated] = [0, 0];
  for (let at = GLOBAL_HEADER; at + PACKET_HEADER <= packets.length; ) {
    const ms = packets.readUInt32LE(at) * 1_000 + packets.readUInt32LE(at + 4) / 1_000;
    const kept = packets.readUInt32LE(at + 8);
    const ip = at + PACKET_HEADER + ETHERNET;
    at += PACKET_HEADER + kept;
    const tcp = ip + (packets[ip] & 15) * 4;
    const [from, to] = [packets.readUInt16BE(tcp), packets.readUInt16BE(tcp + 2)];
    const flags = packets[tcp + 13];
    const [syn, reset] = [(flags & 2) !== 0, (flags & 4) !== 0];
    const text = tcp + (packets[tcp + 12] >> 4) * 4;
    const length = ip + packets.readUInt16BE(ip + 2) - text;
    const toServer = to === port;
    const caller = toServer ? from : to;
    let connection = connections.get(caller);
    if (toServer && syn) {
      if (connection?.isNew) repeated += 1;
      // Over TLS the caller's own part of the handshake is not counted.
      else connections.set(caller, { since: tls ? undefined : ms, tookMs: 0, isNew: true });
      continue;
    }
    if (connection === undefined) {
      connection = { since: undefined, tookMs: 0 };
      connections.set(caller, connection);
    }
    if (!toServer) connection.isNew = false;
    const type = length > 0 ? packets[text] : undefined;
    if (toServer && length > 0 && !(tls && type === TLS_ALERT)) connection.since ??= ms;
    if (!toServer && reset && connection.since !== undefined) {
      resets += 1;
      connection.since = undefined;
    }
    if (toServer || length <= 0 || connection.since === undefined) continue;
    const [, status] = /^HTTP\/1\.1 (\d+)/.exec(packets.toString('latin1', text, text + 12)) ?? [];
    const kind = tls ? caller : status;
    if (kind === undefined) continue;
    connection.tookMs += ms - connection.since;
    connection.since = undefined;
    if (tls && type !== TLS_DATA) continue; // A step of the handshake.
    if (!answers.has(kind)) answers.set(kind, []);
    answers.get(kind).push(connection.tookMs);
    connection.tookMs = 0;
  }
  return { answers, resets, repeated };
}

/**
 * Commands of a tool in processes that have its code loaded, one command after another in each: a
 * process of its own for every command would spend most of its time on loading.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { atEndOfTests } from './end-of-tests.ts';
import { endWithTests } from './servers.ts';

export interface ToolRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command for a host to run, with its arguments, environment and standard input. */
export interface HostedCommand {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
}

const HOST = fileURLToPath(new URL('./tool-host-child.js', import.meta.url));
/** Hosts without work, by the tool that they have loaded. */
const idle = new Map<string, ChildProcess[]>();

/** @param entry the module of the tool that exports `run`, as its program calls it. */
export async function runHosted(
  entry: URL,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input = '',
): Promise<ToolRun> {
  const hosts = idle.get(entry.href) ?? [];
  idle.set(entry.href, hosts);
  const host = hosts.pop() ?? start(entry);
  host.ref();
  host.channel?.ref();
  const result = await new Promise<ToolRun>((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`a tool ended its process: ${code}`));
    host.once('exit', ended);
    host.once('message', (message) => {
      host.off('exit', ended);
      resolve(message as ToolRun);
    });
    host.send({ words, env: { ...process.env, ...env }, input } as HostedCommand);
  });
  host.unref();
  host.channel?.unref();
  hosts.push(host);
  return result;
}

/** What a command printed. @throws with what it said where it failed. */
export function stdoutOf({ code, stdout, stderr }: ToolRun, command: string): string {
  if (code !== 0) throw new Error(`${command}: ${code} ${stderr}`);
  return stdout;
}

function start(entry: URL): ChildProcess {
  const host = endWithTests(
    fork(HOST, [entry.href], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }),
  );
  // By itself, so that it writes what it has covered.
  atEndOfTests(async () => {
    if (!host.connected) return;
    host.ref();
    const exited = once(host, 'exit');
    host.disconnect();
    await exited;
  });
  return host;
}

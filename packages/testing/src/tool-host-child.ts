// The process of a tool host (tool-host.ts): it loads a tool once and runs the commands that it is sent.
import { Readable, Writable } from 'node:stream';
import type { HostedCommand, ToolRun } from './tool-host.ts';

const { run } = (await import(process.argv[2] ?? '')) as {
  run(argv: readonly string[]): Promise<number>;
};

// A tool's process ends with its command, so that no tool takes its listeners back.
process.setMaxListeners(0);
process.on('message', async (message) => {
  const { words, env, input } = message as HostedCommand;
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    replace(
      name,
      new Writable({
        decodeStrings: false,
        write(chunk, _, done) {
          output[name] += chunk;
          done();
        },
      }),
    );
  }
  replace('stdin', Readable.from(input === '' ? [] : [Buffer.from(input)]));
  const code = await run([process.execPath, 'tool', ...words]);
  // What was written is counted in when all of it has gone through.
  await Promise.all([process.stdout, process.stderr].map(ended));
  process.send?.({ code, ...output } satisfies ToolRun);
});
process.on('disconnect', () => process.exit());

function replace(name: 'stdin' | 'stdout' | 'stderr', stream: Readable | Writable): void {
  Object.defineProperty(process, name, { value: stream, configurable: true });
}

function ended(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((done) => {
    if (stream.writableFinished) done();
    else stream.end(done);
  });
}

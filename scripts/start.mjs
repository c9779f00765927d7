// `npm start`: the whole platform on one machine, for evaluation and development.
import { bootstrapServices, fail } from './bootstrap.mjs';
import { ownBookOf, withProfile } from './own-book.mjs';
import { whenNpmEnds } from './progress.mjs';

if (process.env.NODE_ENV === 'production') {
  fail(
    'npm start creates demo callers and is for evaluation. In production run the two services by themselves: docs/guides/deployment.md.',
  );
}
// Until the services run there is nothing to stop but what is being installed or compiled.
let stop = () => process.exit(130);
let askedMs;
const askedToStop = () => {
  // Asked again: do not wait any longer. A terminal and npm may both tell of one Ctrl-C.
  if (askedMs !== undefined && Date.now() - askedMs > 1_000) process.exit(130);
  if (askedMs !== undefined) return;
  askedMs = Date.now();
  stop();
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, askedToStop);
whenNpmEnds(askedToStop);
const ownBook = ownBookOf(process.argv.slice(2));
await bootstrapServices();
const { startPlatform } = await import('./platform.mjs');
await startPlatform({
  book: ownBook && withProfile(ownBook),
  onStop: (stopPlatform) => {
    stop = stopPlatform;
  },
});

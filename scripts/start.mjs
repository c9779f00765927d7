// `npm start`: the whole platform on one machine, for evaluation and development.
import { bootstrap, fail } from './bootstrap.mjs';

if (process.env.NODE_ENV === 'production') {
  fail(
    'npm start creates demo callers and is for evaluation. In production run the two services by themselves: docs/deployment.md.',
  );
}
bootstrap();
const { startPlatform } = await import('./platform.mjs');
await startPlatform();

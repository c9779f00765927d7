import { readFileSync } from 'node:fs';
import type { Tracing } from '../tracing/tracing.ts';

/**
 * Begins to trace, where there is somebody to send traces to. The SDK is loaded for it alone.
 *
 * @param manifest the `package.json` that says which build this is.
 */
export async function openTracing(
  endpoint: string | undefined,
  service: string,
  manifest: URL,
): Promise<Tracing | undefined> {
  if (endpoint === undefined) return undefined;
  const { openTelemetry } = await import('../tracing/open-telemetry.ts');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  return openTelemetry(service, version);
}

import { readFileSync } from 'node:fs';

/** Names below `/docs/assets`, and their media types. */
export const ASSETS: Readonly<Record<string, string>> = {
  'documentation.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
  'try-it.js': 'text/javascript; charset=utf-8',
};

export function readAsset(name: string): Buffer {
  return readFileSync(new URL(`../../../assets/${name}`, import.meta.url));
}

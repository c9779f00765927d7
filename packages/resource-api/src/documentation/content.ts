import { readFileSync } from 'node:fs';
import type { VersionExamples } from '../versions/examples.ts';

/** A document of docs/ for callers. */
export interface ContentPage {
  readonly path: string;
  readonly group: 'start' | 'quickstarts' | 'concepts' | 'versions' | 'maintainers';
  readonly title: string;
  readonly html: string;
  readonly headings: readonly Heading[];
}

export interface Heading {
  readonly id: string;
  readonly depth: number;
  readonly text: string;
}

/** What docs/reference/errors.md says of a code. */
export interface ErrorEntry {
  readonly code: string;
  readonly statuses: readonly number[];
  /** Whether the same request may be sent again. */
  readonly sendAgain: boolean;
  /** When, or with what. */
  readonly how?: string;
  readonly html: string;
  /** A problem document, where no recording has one. */
  readonly example?: string;
}

/** What scripts/documentation.mjs makes. */
export interface Content {
  readonly pages: readonly ContentPage[];
  readonly errors: { readonly introduction: string; readonly entries: readonly ErrorEntry[] };
  /** Texts that pages link to, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** By version. */
  readonly examples: Readonly<Record<string, VersionExamples>>;
}

/** @throws {Error} where the service was compiled without `npm run build`. */
export function readContent(): Content {
  return JSON.parse(readFileSync(new URL('../../documentation.json', import.meta.url), 'utf8'));
}

/** By version; none where the service was compiled without `npm run build`. */
export function recordedExamples(): Content['examples'] {
  try {
    return readContent().examples;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

/** Names below `/docs/assets`, and their media types. */
export const ASSETS: Readonly<Record<string, string>> = {
  'copy.js': 'text/javascript; charset=utf-8',
  'documentation.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
  'try-it.js': 'text/javascript; charset=utf-8',
};

export function readAsset(name: string): Buffer {
  return readFileSync(new URL(`../../../assets/${name}`, import.meta.url));
}

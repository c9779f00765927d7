import type { Asset } from '@cls/shared/pages/assets';
import { LOGOS_PATH } from './paths.ts';

const CONTENT_TYPES = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['webp', 'image/webp'],
]);

/** Logos of applications, read for each request: none stays in memory. */
export function logoAssets(findLogo: (name: string) => Promise<Buffer | undefined>) {
  return async (path: string): Promise<Asset | undefined> => {
    const name = path.slice(LOGOS_PATH.length);
    const [, version = '', extension = ''] = /^([\w-]{43})\.(\w+)$/.exec(name) ?? [];
    const contentType = CONTENT_TYPES.get(extension);
    if (contentType === undefined) return undefined;
    const body = await findLogo(name);
    return body && { path, contentType, body, etag: `"${version}"` };
  };
}

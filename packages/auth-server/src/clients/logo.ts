import { digest } from '../crypto/digest.ts';

export const LOGO_MAX_BYTES = 32_768;

/** A picture that people see beside an application's name. */
export interface Logo {
  /** The digest of the bytes, with an extension: another picture has another name. */
  readonly name: string;
  readonly body: Buffer;
}

/** By the first bytes, in hexadecimal. No SVG, because it can hold scripts. */
const FORMATS = [
  ['png', /^89504e470d0a1a0a/],
  ['jpg', /^ffd8ff/],
  ['webp', /^52494646.{8}57454250/],
] as const;

/** @returns undefined where the file is no PNG, JPEG or WebP. */
export function logoIn(body: Buffer): Logo | undefined {
  const start = body.toString('hex', 0, 12);
  const [extension] = FORMATS.find(([, begins]) => begins.test(start)) ?? [];
  return extension && { name: `${digest(body)}.${extension}`, body };
}

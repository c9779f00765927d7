import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { ConfigurationError } from '@cls/shared/environment';
import * as kit from '@cls/shared/pages/assets';
import { type Brand, brandStyles } from '../brand/brand.ts';

export const ASSET_NAMES = ['pages.css', 'pages.js', 'passkeys.js', 'icon.svg'] as const;
const OWN = ASSET_NAMES.filter((name) => name !== 'icon.svg');
export type AssetName = (typeof ASSET_NAMES)[number];
/** With the operator's own, where there are such. */
export type PageAssets = kit.Assets<AssetName, BrandAsset>;
type BrandAsset = 'brand.css' | 'logo.svg' | 'logo.png';

const FOLDER = new URL('../../../assets/', import.meta.url);
const LOGO_MAX_BYTES = 65_536;

/**
 * Reads the package's `assets/` folder, and makes the operator's own; call it once at start.
 *
 * @throws {ConfigurationError} when the logo cannot be used.
 */
export function readAssets({ colour, logo }: Partial<Brand> = {}): PageAssets {
  return kit.readAssets<AssetName, BrandAsset>(FOLDER, OWN, {
    ...(colour !== undefined && { 'brand.css': Buffer.from(brandStyles(colour)) }),
    ...(logo !== undefined && readLogo(logo)),
  });
}

function readLogo(file: string): Readonly<Record<string, Buffer>> {
  const extension = extname(file).slice(1).toLowerCase();
  const fault = (what: string) => new ConfigurationError([`BRAND_LOGO: ${what}`]);
  if (extension !== 'svg' && extension !== 'png') throw fault('expected an .svg or a .png file');
  let body: Buffer;
  try {
    body = readFileSync(file);
  } catch {
    throw fault('the file cannot be read');
  }
  if (body.length > LOGO_MAX_BYTES) throw fault(`the file is larger than ${LOGO_MAX_BYTES} bytes`);
  return { [`logo.${extension}`]: body };
}

import * as kit from '@cls/shared/pages/assets';

export type AssetName = 'explorer.css' | 'explorer.js' | 'icon.svg';

/** Reads the package's `assets/` folder. */
export function readAssets(): kit.Assets<AssetName> {
  const folder = new URL('../../../assets/', import.meta.url);
  return kit.readAssets<AssetName>(folder, ['explorer.css', 'explorer.js']);
}

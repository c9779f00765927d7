import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { ASSET_NAMES, readAssets } from '../../src/web/assets.ts';
import { GALLERY } from '../support/gallery.ts';
import { galleryFrame, galleryI18n } from '../support/gallery-server.ts';

const PAGE_BYTES_MAX = 30_000;
const CSS_BYTES_MAX = 10_000;

describe('assets', () => {
  const assets = readAssets();

  for (const name of ASSET_NAMES) {
    it(`${name} is found by a path that names its content`, () => {
      const path = assets.paths[name];
      const asset = assets.find(path);
      const hash = createHash('sha256')
        .update(asset?.body ?? '')
        .digest('base64url')
        .slice(0, 16);
      expect(path)
        .to.match(/^\/assets\//)
        .and.include(hash);
      expect(asset?.etag).to.equal(`"${hash}"`);
      expect(asset?.contentType).to.match(
        /^(text\/(css|javascript); charset=utf-8|image\/svg\+xml)$/,
      );
    });
  }

  it('finds nothing under another hash, a bare name or a path that climbs', () => {
    for (const path of [
      '/assets/pages.css',
      '/assets/pages.AAAAAAAAAAAAAAAA.css',
      '/assets/../package.json',
      '/assets/__proto__',
    ]) {
      expect(assets.find(path), path).to.equal(undefined);
    }
  });

  it(`the style sheet is at most ${CSS_BYTES_MAX} bytes`, () => {
    expect(assets.find(assets.paths['pages.css'])?.body.length).to.be.at.most(CSS_BYTES_MAX);
  });

  it(`each page with all that it loads is at most ${PAGE_BYTES_MAX} bytes, uncompressed`, () => {
    for (const { name, render } of GALLERY) {
      const markup = render(galleryFrame(assets.paths, name), galleryI18n('de'));
      const loaded = ASSET_NAMES.map((each) => assets.paths[each]).filter((path) =>
        markup.includes(path),
      );
      const bytes = loaded.reduce(
        (sum, path) => sum + (assets.find(path)?.body.length ?? 0),
        Buffer.byteLength(markup),
      );
      expect(bytes, name).to.be.at.most(PAGE_BYTES_MAX);
    }
  });
});

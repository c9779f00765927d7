import { type Html, trustedMarkup } from '@cls/shared/http/html';
import QRCode from 'qrcode';

/** Light border that readers need around the code, in modules (ISO/IEC 18004). */
const QUIET_ZONE = 4;

/**
 * `text` as an inline SVG, dark on light in every colour scheme, for many readers cannot read an
 * inverted code. One path; no style attribute, so that it passes a strict CSP.
 */
export function qrCode(text: string, label: string): Html {
  const { size, data } = QRCode.create(text, { errorCorrectionLevel: 'M' }).modules;
  let path = '';
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      if (!data[row * size + column]) continue;
      const start = column;
      while (column + 1 < size && data[row * size + column + 1]) column += 1;
      const width = column - start + 1;
      path += `M${start + QUIET_ZONE} ${row + QUIET_ZONE}h${width}v1h-${width}z`;
    }
  }
  const side = size + 2 * QUIET_ZONE;
  return trustedMarkup(
    `<svg class="qr" role="img" aria-label="${attribute(label)}" viewBox="0 0 ${side} ${side}" ` +
      `shape-rendering="crispEdges"><rect width="${side}" height="${side}" fill="#fff"/>` +
      `<path d="${path}" fill="#000"/></svg>`,
  );
}

function attribute(text: string): string {
  return text.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}

import type { VersionId } from './lifecycle/release.ts';
import type { OpenApiDocument } from './versions/openapi.ts';
import { RELEASES } from './versions/releases.ts';
import { v1Contract } from './versions/v1/contract.ts';

const MAKERS: Readonly<Record<VersionId, () => OpenApiDocument>> = { v1: v1Contract };

/** The contract of each release, as its code makes it, with the file of its frozen copy. */
export function contracts(): readonly { id: VersionId; file: string; document: OpenApiDocument }[] {
  return RELEASES.map(({ id, contract: file }) => {
    const document = MAKERS[id]?.();
    if (document === undefined) throw new Error(`src/contracts.ts has no contract of ${id}`);
    return { id, file, document };
  });
}

/** The text of a frozen copy. */
export function contractText(document: OpenApiDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

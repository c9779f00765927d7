import { Refusal } from '@cls/shared/http/refusal';
import type { VersionRequest } from '../api-version.ts';

export const MEDIA_TYPES = ['application/json', 'text/csv', 'application/x-ndjson'] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];

/**
 * RFC 9110 §12.5.1. An `Accept` that names no media type at all, such as a list of encodings, is
 * a caller's slip and gets JSON. @throws {Refusal} `not_acceptable`
 */
export function exportFormatOf({
  headers,
  accepts,
}: Pick<VersionRequest, 'headers' | 'accepts'>): MediaType {
  return oneOf(MEDIA_TYPES, { headers, accepts });
}

/** Of what has no export. @throws {Refusal} `not_acceptable` */
export function requireJson(request: VersionRequest): void {
  oneOf(['application/json'], request);
}

function oneOf(
  types: readonly MediaType[],
  { headers, accepts }: Pick<VersionRequest, 'headers' | 'accepts'>,
): MediaType {
  const found = accepts([...types]);
  const type = types.find((name) => name === found);
  if (type !== undefined) return type;
  if (!`${headers['accept'] ?? ''}`.includes('/')) return 'application/json';
  throw new Refusal({
    status: 406,
    code: 'not_acceptable',
    title: 'Not acceptable',
    detail: `Available media types: ${types.join(', ')}.`,
  });
}

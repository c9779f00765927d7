import { Refusal } from '@cls/shared/http/refusal';
import type { VersionRequest, VersionResponse } from '../api-version.ts';

const MEDIA_TYPES = ['application/json', 'text/csv', 'application/x-ndjson'] as const;
type MediaType = (typeof MEDIA_TYPES)[number];

/**
 * RFC 9110 §12.5.1. An `Accept` that names no media type at all, such as a list of encodings, is
 * a caller's slip and gets JSON. @throws {Refusal} `not_acceptable`
 */
export function mediaTypeOf(
  { headers, accepts }: Pick<VersionRequest, 'headers' | 'accepts'>,
  types: readonly MediaType[] = MEDIA_TYPES,
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

export function jsonAnswer(
  status: number,
  document: object,
  headers: Readonly<Record<string, string>> = {},
): VersionResponse {
  const type = { 'Content-Type': 'application/json; charset=utf-8' };
  return { status, headers: { ...headers, ...type }, body: Buffer.from(JSON.stringify(document)) };
}

/**
 * Whether `If-None-Match` names this representation: weak comparison over a list, or `*` (RFC
 * 9110 §13.1.2). Koa's own check gives up when the client also sends `Cache-Control: no-cache`,
 * which Node's fetch always does; an origin server need not.
 */
export function matchesEtag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag);
}

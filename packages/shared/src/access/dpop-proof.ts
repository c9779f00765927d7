/** Proofs of possession of the key that an access token is bound to: DPoP (RFC 9449 §4.3). */

import { hash } from 'node:crypto';
import { calculateJwkThumbprint, EmbeddedJWK, errors, type JWTPayload, jwtVerify } from 'jose';
import { DPOP_ALGS, proofInvalid } from './token-refusals.ts';

/** What a proof must be about. */
export interface ProvenRequest {
  readonly token: string;
  /** The thumbprint of the token's key (RFC 7638). */
  readonly jkt: string;
  readonly method: string;
  /** As callers may write the address, without its query. */
  readonly urls: readonly string[];
}

/** How old a proof may be, in seconds: it is made for one request. */
export const PROOF_AGE_MAX_S = 60;
const PROOF_MAX_CHARS = 8_192;
const JTI_MAX_CHARS = 256;

/**
 * Checks all of a proof but whether it was used before.
 *
 * @param proof the header `DPoP`; of two, Node makes one text with a comma.
 * @returns what names the proof among all.
 * @throws {Refusal} `token_invalid`, with a reason for who made the proof.
 */
export async function checkProof(
  proof: string | undefined,
  asked: ProvenRequest,
  nowS: number,
  toleranceS: number,
): Promise<string> {
  if (proof === undefined) throw proofInvalid('there is none');
  if (proof.length > PROOF_MAX_CHARS) throw proofInvalid('it is too long');
  const { jwkThumbprint, claims } = await read(proof, nowS, toleranceS);
  const { htm, htu, iat, ath, jti } = claims;
  if (jwkThumbprint !== asked.jkt) throw proofInvalid('its key is not that of the access token');
  if (htm !== asked.method) throw proofInvalid('htm is not the method of this request');
  if (!asked.urls.includes(withoutQuery(htu))) {
    throw proofInvalid('htu is not the address of this request');
  }
  if (ath !== hash('sha256', asked.token, 'base64url')) {
    throw proofInvalid('ath is not the hash of the access token');
  }
  const ageS = nowS - Number(iat);
  if (typeof iat !== 'number' || !(ageS <= PROOF_AGE_MAX_S + toleranceS && ageS >= -toleranceS)) {
    throw proofInvalid(`iat is not within the last ${PROOF_AGE_MAX_S} seconds`);
  }
  if (typeof jti !== 'string' || jti === '' || jti.length > JTI_MAX_CHARS) {
    throw proofInvalid(`jti is not a text of at most ${JTI_MAX_CHARS} characters`);
  }
  return hash('sha256', `${jwkThumbprint} ${jti}`, 'base64url');
}

interface ReadProof {
  readonly jwkThumbprint: string;
  readonly claims: JWTPayload;
}

async function read(proof: string, nowS: number, clockTolerance: number): Promise<ReadProof> {
  try {
    const { payload: claims, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
      algorithms: [...DPOP_ALGS],
      typ: 'dpop+jwt',
      currentDate: new Date(nowS * 1_000),
      clockTolerance,
    });
    // The key was read from there.
    return { claims, jwkThumbprint: await calculateJwkThumbprint(protectedHeader.jwk ?? {}) };
  } catch (cause) {
    const reason = cause instanceof errors.JOSEError ? cause.message : 'it cannot be read';
    throw proofInvalid(reason, { cause });
  }
}

/** Empty for what is no address. */
function withoutQuery(htu: unknown): string {
  if (typeof htu !== 'string' || !URL.canParse(htu)) return '';
  const url = new URL(htu);
  url.search = '';
  url.hash = '';
  return url.href;
}

import { type CryptoKey, importJWK, type JWK } from 'jose';

const KEYS_MAX = 16;
const MODULUS_MIN_BITS = 2_048;
const MODULUS_MAX_BITS = 8_192;
/** Members of a JWK that are not public (RFC 7518 §6). */
export const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
const KID = /^[\x21-\x7e]{1,64}$/;

/**
 * The keys of a JWKS document (RFC 7517 §5) that this API would verify with: RSA for RS256
 * signatures, 2048 bits or more, e = 65537, public parts only, a kid of its own, and not made by
 * the broken generator of CVE-2017-15361. Others are left out; two keys of one kid both are.
 *
 * @returns undefined when the document is no key set or holds more keys than any issuer needs.
 */
export async function usableKeys(
  document: unknown,
): Promise<ReadonlyMap<string, CryptoKey> | undefined> {
  const listed = (document as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(listed) || listed.length > KEYS_MAX) return undefined;
  const candidates = listed.filter(isUsable);
  const unique = candidates.filter(
    ({ kid }) => listed.filter((other) => (other as JWK | null)?.kid === kid).length === 1,
  );
  const imported = await Promise.all(
    unique.map(async ({ kid, kty, n, e }) => {
      const key = await importJWK({ kty, n, e } as JWK, 'RS256').catch(() => undefined);
      return key === undefined || key instanceof Uint8Array ? undefined : ([kid, key] as const);
    }),
  );
  return new Map(imported.filter((entry) => entry !== undefined));
}

type RsaKey = JWK & { readonly kid: string; readonly n: string };

function isUsable(value: unknown): value is RsaKey {
  if (typeof value !== 'object' || value === null) return false;
  const { kty, alg, use, kid, e, n } = value as Record<string, unknown>;
  const described = kty === 'RSA' && alg === 'RS256' && use === 'sig' && e === 'AQAB';
  if (!described || typeof kid !== 'string' || !KID.test(kid)) return false;
  if (typeof n !== 'string' || !/^[A-Za-z0-9_-]+$/.test(n)) return false;
  if (PRIVATE_MEMBERS.some((name) => Object.hasOwn(value, name))) return false;
  const modulus = BigInt(`0x0${Buffer.from(n, 'base64url').toString('hex')}`);
  const bits = modulus.toString(2).length;
  return bits >= MODULUS_MIN_BITS && bits <= MODULUS_MAX_BITS && !isRoca(modulus);
}

const ROCA_PRIMES = [
  3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101,
  103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167,
];

/** A modulus of that generator is a power of 65537 modulo every one of these primes. */
function isRoca(modulus: bigint): boolean {
  return ROCA_PRIMES.every((prime) => {
    const residue = Number(modulus % BigInt(prime));
    const powers = new Set<number>();
    for (let power = 1; !powers.has(power); power = (power * 65_537) % prime) powers.add(power);
    return powers.has(residue);
  });
}

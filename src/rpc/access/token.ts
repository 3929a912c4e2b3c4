import { createHmac, timingSafeEqual } from 'node:crypto'
import { closeBrace, openBrace } from '../../base/json/jsonCodes.ts'
import { JsonScanner } from '../../base/json/jsonScanner.ts'

/**
 * Bearer tokens as the Engine API has them: JWT, HS256 with a 32-byte secret that both sides know, `iat` within a
 * minute of now. https://github.com/ethereum/execution-apis/blob/main/src/engine/authentication.md
 */

/** The maximum difference between `iat` and the clock, in seconds. */
const driftSeconds = 60
/** The longest header that is decoded. A real token has about 120 characters. */
const maxTokenLength = 4096

export type TokenCheck =
  /** `until` is in ms since 1970, Infinity for a token without `exp`. */
  { readonly ok: true; readonly until: number } | { readonly ok: false; readonly why: string }

const rejectToken = (why: string): TokenCheck => ({ ok: false, why })

/**
 * Returns whether an `Authorization` header has a token. Other schemes are ignored: clients send them for users and
 * passwords in URLs, which mean nothing here.
 */
export const usesBearer = (header: string): boolean => /^bearer(?:\s|$)/i.test(header)

/**
 * Checks the value of an `Authorization` header. The signature is compared in constant time, before any claim is
 * read.
 */
export const checkAuthorization = (header: string, secret: Uint8Array, nowMs: number): TokenCheck => {
  if (header.length > maxTokenLength) return rejectToken('token too long')
  const [, token] = /^Bearer ([^ ]+)$/.exec(header) ?? []
  if (token === undefined) return rejectToken('the scheme must be "Bearer <token>"')
  const segments = token.split('.')
  const [head, payload, signature] = segments
  if (segments.length !== 3 || head === undefined || payload === undefined || signature === undefined) {
    return rejectToken('a token has three parts')
  }
  if (!segments.every(isBase64Url)) return rejectToken('a token is base64url without padding')
  const expected = sign(`${head}.${payload}`, secret)
  const given = Buffer.from(signature, 'base64url')
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    return rejectToken('wrong signature')
  return checkHead(readObject(head)) ?? checkClaims(readObject(payload), nowMs)
}

/** Creates a token, with `exp` only if a lifetime is given. */
export const createToken = (secret: Uint8Array, nowMs: number, lifetimeSeconds?: number): string => {
  const iat = Math.floor(nowMs / 1000)
  const claims = lifetimeSeconds === undefined ? { iat } : { iat, exp: iat + lifetimeSeconds }
  const body = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
  return `${body}.${sign(body, secret).toString('base64url')}`
}

const sign = (body: string, secret: Uint8Array): Buffer => createHmac('sha256', secret).update(body).digest()

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/**
 * Returns whether `part` is strict base64url. Node's decoder skips invalid characters, so that many texts would be
 * one token.
 */
const isBase64Url = (part: string): boolean => Buffer.from(part, 'base64url').toString('base64url') === part

const readObject = (part: string): Record<string, unknown> => {
  try {
    const text = Buffer.from(part, 'base64url').toString()
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    if (isObject && !hasDoubledMember(text)) return { ...value }
  } catch {
    // The checks reject the empty object that is returned.
  }
  return {}
}

/** Returns whether a member of an object is there twice: one reader would take the first and another the last. */
const hasDoubledMember = (text: string): boolean => {
  const scanner = new JsonScanner(text)
  const names = new Set<string>()
  scanner.skipSpace()
  if (!scanner.enter(openBrace)) return false
  do {
    scanner.readKey()
    if (names.has(scanner.key)) return true
    names.add(scanner.key)
    scanner.skipValue()
  } while (scanner.next(closeBrace))
  return false
}

const checkHead = ({ alg, typ, crit }: Record<string, unknown>): TokenCheck | undefined => {
  if (alg !== 'HS256') return rejectToken('only HS256 is accepted')
  if (typ !== undefined && typ !== 'JWT') return rejectToken('only type JWT is accepted')
  if (crit !== undefined) return rejectToken('critical extensions are not understood')
  return undefined
}

const checkClaims = ({ iat, exp, nbf }: Record<string, unknown>, nowMs: number): TokenCheck => {
  const now = nowMs / 1000
  if (!Number.isSafeInteger(iat)) return rejectToken('iat must be an integer')
  if (Math.abs((iat as number) - now) > driftSeconds)
    return rejectToken(`iat is more than ${driftSeconds} s from now`)
  if (nbf !== undefined && (!Number.isSafeInteger(nbf) || (nbf as number) > now))
    return rejectToken('not valid yet')
  if (exp === undefined) return { ok: true, until: Number.POSITIVE_INFINITY }
  if (!Number.isSafeInteger(exp)) return rejectToken('exp must be an integer')
  if ((exp as number) <= now) return rejectToken('expired')
  return { ok: true, until: (exp as number) * 1000 }
}

import { createHmac } from 'node:crypto'

/** Creates valid and invalid tokens without the code under test. Times are seconds from now. */
export interface TokenParts {
  readonly claims: unknown
  readonly header?: object
  readonly secret: Uint8Array
  readonly digest?: 'sha256' | 'sha512' | 'none'
}

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const fromNow = (claims: unknown): unknown => {
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) return claims
  const now = Math.floor(Date.now() / 1000)
  return Object.fromEntries(
    Object.entries(claims).map(([name, value]) => [name, typeof value === 'number' ? now + value : value]),
  )
}

export const forgeToken = ({
  claims,
  header = { alg: 'HS256', typ: 'JWT' },
  secret,
  digest = 'sha256',
}: TokenParts): string => {
  const body = `${base64url(header)}.${base64url(fromNow(claims))}`
  const signature = digest === 'none' ? '' : createHmac(digest, secret).update(body).digest('base64url')
  return `${body}.${signature}`
}

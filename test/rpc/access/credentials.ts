import { forgeToken } from '../../support/rpc/forgeToken.ts'

/** Something that a caller shows in place of a good token. */
export interface Credential {
  readonly name: string
  /** Pairs, since a header may be there twice. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** After the path. */
  readonly query?: string
  /** Header values that Node's client would not send. */
  readonly isRawOnly?: true
}

const seconds = (difference: number): number => Math.floor(Date.now() / 1000) + difference

const part = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

export const goodCredential = (secret: Uint8Array): Credential => ({
  name: 'a good token',
  headers: [['Authorization', `Bearer ${forgeToken({ claims: { iat: 0 }, secret })}`]],
})

/** Every way to be without a good token that anybody has thought of. Made anew each time: tokens age. */
export const badCredentials = (secret: Uint8Array): readonly Credential[] => {
  const good = forgeToken({ claims: { iat: 0 }, secret })
  const [head = '', payload = '', signature = ''] = good.split('.')
  const bearer = (name: string, token: string): Credential => ({
    name,
    headers: [['Authorization', `Bearer ${token}`]],
  })
  const header = (name: string, value: string): Credential => ({ name, headers: [['Authorization', value]] })
  const claims = (name: string, given: unknown): Credential =>
    bearer(name, forgeToken({ claims: given, secret }))
  const fixed = (name: string, given: object): Credential =>
    bearer(name, forgeToken({ claims: mark(given), secret }))
  const algorithm = (name: string, given: object, digest?: 'sha512' | 'none'): Credential =>
    bearer(
      name,
      forgeToken({ claims: { iat: 0 }, header: given, secret, ...(digest === undefined ? {} : { digest }) }),
    )
  const flipped = Buffer.from(signature, 'base64url')
  flipped[31] = (flipped[31] as number) ^ 1
  const elsewhere = (name: string): Credential => ({
    name: `the token in ${name}`,
    headers: [[name, `Bearer ${good}`]],
  })
  return [
    { name: 'nothing', headers: [] },
    header('an empty header', ''),
    header('a scheme alone', 'Bearer'),
    header('a token alone', good),
    header('bearer in small letters', `bearer ${good}`),
    header('BEARER in capitals', `BEARER ${good}`),
    header('two spaces', `Bearer  ${good}`),
    header('a tab', `Bearer\t${good}`),
    header('Basic', `Basic ${Buffer.from(`:${good}`).toString('base64')}`),
    header('Token', `Token ${good}`),
    header('two tokens', `Bearer ${good} ${good}`),
    header('tokens with a comma', `Bearer x, Bearer ${good}`),
    header('quotes', `Bearer "${good}"`),
    bearer('null', 'null'),
    bearer('undefined', 'undefined'),
    bearer('the secret itself', Buffer.from(secret).toString('hex')),
    bearer('two parts', `${head}.${payload}`),
    bearer('no signature', `${head}.${payload}.`),
    bearer('four parts', `${good}.${signature}`),
    bearer('five parts', `${good}.a.b`),
    bearer('swapped parts', `${payload}.${head}.${signature}`),
    bearer('padding', `${good}=`),
    bearer('one bit of the signature', `${head}.${payload}.${flipped.toString('base64url')}`),
    bearer('a short signature', `${head}.${payload}.${signature.slice(0, 20)}`),
    bearer('another payload', `${head}.${part({ iat: seconds(1) })}.${signature}`),
    bearer('another head', `${part({ alg: 'HS256' })}.${payload}.${signature}`),
    bearer('percent signs', encodeURIComponent(good).replaceAll('.', '%2e')),
    bearer('a long token', `${good}${'A'.repeat(5000)}`),
    bearer('another secret', forgeToken({ claims: { iat: 0 }, secret: Buffer.alloc(32, 7) })),
    bearer('a secret of zeros', forgeToken({ claims: { iat: 0 }, secret: Buffer.alloc(32) })),
    bearer('an empty secret', forgeToken({ claims: { iat: 0 }, secret: Buffer.alloc(0) })),
    bearer(
      'the hex of the secret',
      forgeToken({ claims: { iat: 0 }, secret: Buffer.from(Buffer.from(secret).toString('hex')) }),
    ),
    algorithm('alg none, unsigned', { alg: 'none', typ: 'JWT' }, 'none'),
    algorithm('alg none, signed', { alg: 'none', typ: 'JWT' }),
    algorithm('alg NONE', { alg: 'NONE' }, 'none'),
    algorithm('alg hs256', { alg: 'hs256' }),
    algorithm('alg HS384', { alg: 'HS384' }),
    algorithm('alg HS512', { alg: 'HS512' }, 'sha512'),
    algorithm('alg RS256', { alg: 'RS256' }),
    algorithm('alg ES256', { alg: 'ES256' }),
    algorithm('alg as a list', { alg: ['HS256'] }),
    algorithm('no alg', { typ: 'JWT' }),
    algorithm('another type', { alg: 'HS256', typ: 'JWE' }),
    algorithm('critical extensions', { alg: 'HS256', crit: ['exp'] }),
    claims('no iat', {}),
    claims('iat null', { iat: null }),
    claims('iat as a text', { iat: 'now' }),
    claims('iat as a list', { iat: [0] }),
    claims('iat true', { iat: true }),
    claims('an old iat', { iat: -61 }),
    claims('a very old iat', { iat: -1e9 }),
    claims('a future iat', { iat: 75 }),
    claims('a fraction', { iat: 0.5 }),
    claims('expired', { iat: 0, exp: -1 }),
    claims('exp as a text', { iat: 0, exp: 'later' }),
    claims('not before', { iat: 0, nbf: 60 }),
    claims('a list of claims', [{ iat: seconds(0) }]),
    claims('no claims', null),
    fixed('iat 0', { iat: 0 }),
    fixed('iat in milliseconds', { iat: Date.now() }),
    fixed('exp 0', { iat: seconds(0), exp: 0 }),
    {
      name: 'a bad header before a good one',
      headers: [['Authorization', 'Bearer x'], ...goodCredential(secret).headers],
    },
    elsewhere('X-Authorization'),
    elsewhere('Proxy-Authorization'),
    elsewhere('X-Forwarded-Authorization'),
    { name: 'a cookie', headers: [['Cookie', `Authorization=Bearer ${good}; token=${good}; jwt=${good}`]] },
    { name: 'a header with the token', headers: [['X-Access-Token', good]] },
    {
      name: 'a query',
      headers: [],
      query: `?token=${good}&access_token=${good}&authorization=Bearer%20${good}`,
    },
    {
      name: 'a forwarded loopback',
      headers: [
        ['X-Forwarded-For', '127.0.0.1'],
        ['Forwarded', 'for=127.0.0.1'],
      ],
    },
    {
      name: 'a name in the request',
      headers: [
        ['X-Remote-User', 'root'],
        ['X-Original-URL', '/'],
      ],
    },
    { name: 'a NUL', headers: [['Authorization', `Bearer ${good}\0`]], isRawOnly: true },
    { name: 'a space before the colon', headers: [['Authorization ', `Bearer ${good}`]], isRawOnly: true },
    { name: 'a folded line', headers: [['X-A', `b\r\n Authorization: Bearer ${good}`]], isRawOnly: true },
    { name: 'letters of another script', headers: [['Authorization', `Bеarer ${good}`]], isRawOnly: true },
  ]
}

/** forgeToken takes numbers as seconds from now: these stay what they are. */
const mark = (claims: object): object =>
  Object.fromEntries(Object.entries(claims).map(([name, value]) => [name, Number(value) - seconds(0)]))

import { createConnection } from 'node:net'
import { WebSocket } from 'ws'
import { createRandom, type Random } from '../../support/random.ts'
import { type PrivateCall, type Shape, shapes } from './bodies.ts'
import { badCredentials, type Credential, goodCredential } from './credentials.ts'
import {
  type Claim,
  contentTypes,
  type DoubledHeader,
  doubledHeaders,
  hosts,
  origins,
  requestTargets,
  verbs,
} from './requestClaims.ts'
import { type GuardedServer, type Target, targets } from './targets.ts'

type Transport = 'http' | 'ws' | 'ws on the HTTP port'
export const transports: readonly Transport[] = ['http', 'ws', 'ws on the HTTP port']

export interface Variant {
  readonly transport: Transport
  readonly target: Target
  readonly credential: Credential
  readonly shape: Shape
  readonly host: Claim
  readonly origin: Claim
  readonly contentType: Claim
  readonly verb: Claim
  readonly line: Claim
  readonly doubled: DoubledHeader
}

const goodClaim = (claims: readonly Claim[]): Claim => claims[0] as Claim
const noDouble = doubledHeaders[0] as DoubledHeader

/** The call as its rightful owner makes it. */
export const createAllowedVariant = (
  fortress: GuardedServer,
  choice: Pick<Variant, 'transport' | 'target' | 'shape'>,
): Variant => ({
  ...choice,
  credential: goodCredential(fortress.secret),
  host: goodClaim(hosts),
  origin: goodClaim(origins),
  contentType: goodClaim(contentTypes),
  verb: goodClaim(verbs),
  line: goodClaim(requestTargets),
  doubled: noDouble,
})

/** Whether something about it must keep it from running, apart from the token. */
const isTurnedAway = (variant: Variant): boolean => {
  const { transport, shape, host, origin, contentType, verb, line, doubled } = variant
  if (!shape.runs || !host.isFine || !origin.isFine) return true
  // The client of WebSockets writes its own request line and its headers once.
  return transport === 'http' && [contentType, verb, line, doubled].some(({ isFine }) => !isFine)
}

const fits = ({ transport, credential, host, contentType, doubled }: Variant): boolean => {
  if (transport !== 'http') return credential.isRawOnly === undefined && isHeaderValue(host.value)
  // Without the other one it is not there twice.
  return contentType.value !== undefined || doubled.header?.[0].toLowerCase() !== 'content-type'
}

/** Node's own client refuses to send some of what we would like to. */
const isHeaderValue = (value: string | undefined): boolean =>
  value === undefined || /^[\x20-\x7e\t]*$/.test(value)

const describe = (variant: Variant): string =>
  [
    variant.transport,
    variant.target.method,
    variant.credential.name,
    variant.shape.name,
    ...[variant.host, variant.origin, variant.contentType, variant.verb, variant.line].map(({ value }) =>
      String(value),
    ),
    variant.doubled.name,
  ].join(' | ')

/** Different variants, each with at least one defect. In three of four it is the token. */
export const createVariants = (fortress: GuardedServer, random: Random) => {
  const seen = new Set<string>()
  const calls = shapes.filter(({ runs }) => runs)
  /** Those that get as far as the method table: no token at all is not a bad token. */
  const withoutToken = (one: Credential): boolean => one.headers.every(([name]) => name !== 'Authorization')
  const chooseBad = (): Credential => {
    const all = badCredentials(fortress.secret)
    return random.pick(random.chance(0.5) ? all.filter(withoutToken) : all)
  }
  const choose = (): Variant => {
    const isTokenBad = random.chance(0.75)
    const pick = (claims: readonly Claim[]): Claim =>
      random.chance(isTokenBad ? 0.8 : 0.5) ? goodClaim(claims) : random.pick(claims)
    return {
      transport: random.pick(transports),
      target: random.pick(targets),
      credential: isTokenBad ? chooseBad() : goodCredential(fortress.secret),
      shape: random.pick(random.chance(0.5) ? calls : shapes),
      host: pick(hosts),
      origin: pick(origins),
      contentType: pick(contentTypes),
      verb: pick(verbs),
      line: pick(requestTargets),
      doubled: random.chance(0.9) ? noDouble : random.pick(doubledHeaders),
    }
  }
  return (): Variant => {
    for (;;) {
      const variant = choose()
      const isGood = variant.credential.name === 'a good token' || variant.target.needsNoToken === true
      if ((isGood && !isTurnedAway(variant)) || !fits(variant)) continue
      const name = describe(variant)
      if (seen.has(name)) continue
      seen.add(name)
      return variant
    }
  }
}

/** How long a server may be silent before its silence is the answer. */
const patienceMs = 30_000

const sendRaw = (url: string, bytes: Buffer): Promise<string> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url)
    const socket = createConnection({ host: hostname, port: Number(port) })
    let answer = ''
    const end = (): void => {
      clearTimeout(timer)
      // Without a farewell, so that thousands of these leave no ports in wait.
      socket.resetAndDestroy()
      resolve(answer)
    }
    const timer = setTimeout(end, patienceMs)
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')))
    socket.on('error', end)
    socket.on('end', end)
    socket.on('close', end)
    socket.on('connect', () => socket.write(bytes))
  })

const overHttp = (url: string, variant: Variant, body: Buffer): Promise<string> => {
  const { credential, host, origin, contentType, verb, line, doubled } = variant
  const given: readonly (readonly [string, string | undefined])[] = [
    ...(doubled.header === undefined ? [] : [doubled.header]),
    ['Host', host.value],
    ['Origin', origin.value],
    ['Content-Type', contentType.value],
    ...credential.headers,
    ['Content-Length', String(body.length)],
    ['Connection', 'close'],
    ['X-HTTP-Method-Override', 'POST'],
  ]
  const lines = given
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `${verb.value} ${line.value}${credential.query ?? ''} HTTP/1.1\r\n${lines.join('')}\r\n`
  return sendRaw(url, Buffer.concat([Buffer.from(head), body]))
}

/** Shows, where no other answer comes, that the socket was served. */
const sentinel = '{"jsonrpc":"2.0","id":"sentinel","method":"web3_clientVersion"}'

const overWs = (
  url: string,
  { credential, host, origin, shape }: Variant,
  body: string | Buffer,
): Promise<string> =>
  new Promise((resolve) => {
    const headers: Record<string, string | string[]> = {}
    for (const [name, value] of credential.headers) {
      const before = headers[name]
      headers[name] = before === undefined ? value : [before, value].flat()
    }
    if (host.value !== undefined) headers.Host = host.value
    if (origin.value !== undefined) headers.Origin = origin.value
    const socket = new WebSocket(`${url}/${credential.query ?? ''}`, { headers })
    let answer = ''
    let messages = 0
    let isSentinelBack = false
    const end = (): void => {
      clearTimeout(timer)
      socket.terminate()
      resolve(answer)
    }
    const timer = setTimeout(end, patienceMs)
    socket.on('open', () => {
      socket.send(body, { binary: false })
      socket.send(sentinel)
    })
    socket.on('message', (data) => {
      answer += String(data)
      messages++
      isSentinelBack ||= String(data).includes('"sentinel"')
      // Two messages run side by side, so the sentinel alone does not tell that the other one is done.
      if (isSentinelBack && messages > (shape.isSilent ? 0 : 1)) end()
    })
    socket.on('unexpected-response', (_, response) => {
      answer += `HTTP ${response.statusCode}`
      end()
    })
    socket.on('error', end)
    socket.on('close', end)
  })

/** Sends it, and gives all that came back. */
export const send = (
  fortress: GuardedServer,
  variant: Variant,
  call: PrivateCall,
  random: Random,
): Promise<string> => {
  const { http = '', ws = '' } = fortress.service.urls()
  const body = variant.shape.write(call, random)
  switch (variant.transport) {
    case 'http':
      return overHttp(http, variant, Buffer.from(body))
    case 'ws':
      return overWs(ws, variant, body)
    case 'ws on the HTTP port':
      return overWs(http.replace('http:', 'ws:'), variant, body)
  }
}

export interface AttackReport {
  readonly sent: number
  /** What ran, and should not have. */
  readonly breaches: readonly string[]
  /** Answers by kind, to see that they are refusals of every kind and not one wall. */
  readonly answers: Readonly<Record<string, number>>
}

const kindOf = (answer: string): string => {
  const [, code] = /"code":(-?\d+)/.exec(answer.replace(/\{"jsonrpc":"2.0","id":"sentinel".*$/s, '')) ?? []
  const [, status] = /^HTTP(?:\/1\.1)? (\d+)/.exec(answer) ?? []
  if (status !== undefined && status !== '200') return `HTTP ${status}`
  return code === undefined ? 'no error' : `error ${code}`
}

/** What runs is seen by what it leaves behind, or by its result. */
export const attack = async (
  fortress: GuardedServer,
  { seed, count }: { readonly seed: number; readonly count: number },
): Promise<AttackReport> => {
  const random = createRandom(seed)
  const next = createVariants(fortress, random)
  const before = fortress.look()
  const breaches: string[] = []
  const answers: Record<string, number> = {}
  for (let serial = 0; serial < count && breaches.length === 0; serial++) {
    const variant = next()
    const { method, params } = variant.target
    const call = { id: `attack-${serial}`, method, params: params(fortress.accounts, serial) }
    const answer = await send(fortress, variant, call, random)
    const kind = kindOf(answer)
    answers[kind] = (answers[kind] ?? 0) + 1
    const hasResult = new RegExp(`"id":"${call.id}","result"`).test(answer)
    if (hasResult || fortress.look() !== before) breaches.push(`#${serial} ${describe(variant)}\n${answer}`)
  }
  // What takes its time, such as a new key, is there by now.
  await new Promise((resolve) => setTimeout(resolve, 1500))
  if (breaches.length === 0 && fortress.look() !== before) breaches.push('something ran late')
  return { sent: count, breaches, answers }
}

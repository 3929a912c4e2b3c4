import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Random } from '../support/random.ts'

/** An endpoint between a client and a node that changes answers. */
export interface Liar {
  readonly url: string
  /** How many answers it gave since it was told to be honest or to lie. */
  readonly count: () => number
  /** What becomes of the answer of a number, from now on; honest if there is none. */
  lie(at: number | undefined, change: (result: unknown, method: string) => unknown): void
  close(): Promise<void>
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

export const startLiar = async (node: string): Promise<Liar> => {
  let lyingAt: number | undefined
  let count = 0
  let change: Parameters<Liar['lie']>[1] = (result) => result
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request)
    const { method } = JSON.parse(body) as { method: string }
    const headers = { 'content-type': 'application/json' }
    const reply = (await (await fetch(node, { method: 'POST', headers, body })).json()) as {
      result?: unknown
    }
    const isLie = count++ === lyingAt && 'result' in reply
    const told = isLie ? { ...reply, result: await change(reply.result, method) } : reply
    response.writeHead(200, headers).end(JSON.stringify(told))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    count: () => count,
    lie: (at, next) => {
      lyingAt = at
      count = 0
      change = next
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

type Path = readonly (string | number)[]

/** The places of a value where something can be changed. */
const placesOf = (value: unknown, path: Path = []): readonly Path[] => {
  const inside =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, member]) =>
          placesOf(member, [...path, Array.isArray(value) ? Number(name) : name]),
        )
      : []
  return [path, ...inside]
}

const at = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((found, name) => (found as Record<string | number, unknown>)[name], value)

/** Changes one digit of a text, or another value a little. */
const nudge = (value: unknown, random: Random): unknown => {
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  if (value === null || value === undefined) return '0x00'
  if (Array.isArray(value)) {
    if (value.length === 0) return ['0x00']
    const index = random.below(value.length)
    // Left out, twice, or in another order.
    return random.pick([
      () => value.toSpliced(index, 1),
      () => [...value, value[index]],
      () => value.toReversed(),
      () => [],
    ])()
  }
  if (typeof value === 'object') {
    const names = Object.keys(value)
    const name = names.length === 0 ? 'x' : random.pick(names)
    return Object.fromEntries(Object.entries(value).filter(([member]) => member !== name))
  }
  const text = String(value)
  const digits = [...text].flatMap((digit, index) => (index > 1 && /[0-9a-fA-F]/.test(digit) ? [index] : []))
  const index = digits.length === 0 ? -1 : random.pick(digits)
  if (index < 0) return `${text}0`
  const digit = Number.parseInt(text[index] as string, 16)
  const other = ((digit + 1 + random.below(15)) % 16).toString(16)
  const written = /[A-F]/.test(text) ? other.toUpperCase() : other
  return `${text.slice(0, index)}${written}${text.slice(index + 1)}`
}

/** Returns a value with one change somewhere in it. */
export const mutate = (value: unknown, random: Random): unknown => {
  const copy = structuredClone(value)
  const place = random.pick(placesOf(copy))
  if (place.length === 0) return nudge(copy, random)
  const parent = at(copy, place.slice(0, -1)) as Record<string | number, unknown>
  const name = place.at(-1) as string | number
  parent[name] = nudge(parent[name], random)
  return copy
}

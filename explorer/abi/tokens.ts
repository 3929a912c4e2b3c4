import { useEffect } from 'preact/hooks'
import { parseType } from '../../src/base/abi/type.ts'
import { chainChanges } from '../live/live.ts'
import { call } from '../rpc/client.ts'
import { RpcFailure } from '../rpc/failure.ts'
import type { Hex } from '../rpc/types.ts'
import { createStore, useStore } from '../state/store.ts'
import { decodeParameters } from './decode.ts'

/** How a token calls itself. Anybody can write anything there: it is shown as text only. */
export interface TokenFacts {
  readonly symbol: string | undefined
  readonly name: string | undefined
  readonly decimals: number | undefined
}

let tokens = new Map<string, TokenFacts | 'asked'>()
const version = createStore(0)
const maxTokens = 2000
/** More than any view shows of a name; a contract can give megabytes, which would be kept. */
const keptText = 200

// On another chain the same address is another token.
chainChanges.subscribe(() => {
  // Answers that are on their way are for the map of before.
  tokens = new Map()
  version.set(version.get() + 1)
})

const selectors = { name: '0x06fdde03', symbol: '0x95d89b41', decimals: '0x313ce567' } as const

const readText = (data: Hex): string | undefined => {
  const type = parseType('string')
  const value = type && decodeParameters([{ name: '', type, indexed: false }], data)?.[0]?.value
  return typeof value === 'string' ? value.slice(0, keptText) : undefined
}

/** How often a node is asked that cannot answer now, and the first pause between, of which each next one is double. */
const maxTries = 5
const pauseMs = 2_000

/** Failures of the contract, or of a node that does not take such calls: to ask again would not help. */
const isFinal = (error: unknown): boolean =>
  error instanceof RpcFailure &&
  ([3, -32_004, -32_601, -32_602, 4_100].includes(error.code ?? 0) ||
    /revert|opcode|out of gas|jump|stack/.test(error.message))

const ask = async (token: Hex, data: Hex): Promise<Hex | undefined> => {
  for (let tries = 1; ; tries++) {
    try {
      return await call<Hex>('eth_call', { to: token, data }, 'latest')
    } catch (error) {
      if (isFinal(error) || tries === maxTries) return undefined
      await new Promise((resolve) => setTimeout(resolve, pauseMs * 2 ** (tries - 1)))
    }
  }
}

const load = async (token: Hex, into: typeof tokens): Promise<void> => {
  const [name, symbol, decimals] = await Promise.all([
    ask(token, selectors.name),
    ask(token, selectors.symbol),
    ask(token, selectors.decimals),
  ])
  const digits = decimals !== undefined && decimals.length === 66 ? Number(BigInt(decimals)) : undefined
  into.set(token.toLowerCase(), {
    name: name && readText(name),
    symbol: symbol && readText(symbol),
    decimals: digits !== undefined && digits <= 77 ? digits : undefined,
  })
  version.set(version.get() + 1)
}

export const tokenFacts = (token: Hex): TokenFacts | undefined => {
  const found = tokens.get(token.toLowerCase())
  return found === 'asked' ? undefined : found
}

/** Asks the tokens that were not asked on this chain what they are called. */
export const askTokens = (wanted: readonly Hex[]): void => {
  const asked = tokens
  if (asked.size > maxTokens) asked.clear()
  for (const token of wanted) {
    if (asked.has(token)) continue
    asked.set(token, 'asked')
    void load(token, asked).catch(() => asked.delete(token))
  }
}

/** Has a view drawn again when the names of its tokens are known. */
export const useTokens = (addresses: readonly Hex[]): void => {
  const asked = useStore(version)
  const wanted = [...new Set(addresses.map((address) => address.toLowerCase() as Hex))].slice(0, 50)
  useEffect(() => askTokens(wanted), [wanted.join(), asked])
}

import { hexToBytes } from '../format/hex.ts'
import { call } from '../rpc/client.ts'
import type { Hex, Transaction } from '../rpc/types.ts'
import { type Compiled, findCompiled } from './compiled.ts'
import { SourcePlaces } from './sourceMap.ts'
import { compiledVersion } from './version.ts'

/** The part of a step that says which code it runs. */
export interface RunningCode {
  readonly depth: number
  readonly address: Hex
  /** null while a contract is created. */
  readonly code: Hex | null
}

const maxKept = 200
const kept = new Map<string, Promise<SourcePlaces | undefined>>()

const keyOf = (hash: string, { depth, address, code }: RunningCode): string =>
  `${compiledVersion.get()} ${hash} ${code ?? `created ${depth} ${address}`}`

/** Returns the places in the source of the code that a step runs; undefined if nobody gave its source. */
export const placesOf = (hash: string, step: RunningCode): Promise<SourcePlaces | undefined> => {
  const key = keyOf(hash, step)
  const known = kept.get(key)
  if (known !== undefined) return known
  const loading = load(hash, step)
  kept.set(key, loading)
  loading.catch(() => kept.delete(key))
  const [oldest] = kept.keys()
  if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest)
  return loading
}

const deployedPlaces = (compiled: Compiled | undefined, code: Hex): SourcePlaces | undefined =>
  compiled && new SourcePlaces(compiled.name, compiled.sourceMap, hexToBytes(code), compiled.sources)

const creationPlaces = (compiled: Compiled | undefined): SourcePlaces | undefined =>
  compiled &&
  new SourcePlaces(compiled.name, compiled.creationMap, hexToBytes(compiled.creationCode), compiled.sources)

/** The code of an account after the transaction's block, or now, where the state of that block is gone. */
const codeAt = async (address: Hex, transaction: Transaction | null): Promise<Hex> => {
  const ask = (block: string) => call<Hex>('eth_getCode', address, block)
  const code = await ask(transaction?.blockNumber ?? 'latest').catch(() => ask('latest'))
  // An account that acts with the code of another one (EIP-7702).
  const [, delegate] = /^0xef0100([0-9a-f]{40})$/.exec(code) ?? []
  return delegate === undefined ? code : call<Hex>('eth_getCode', `0x${delegate}`, 'latest')
}

const load = async (
  hash: string,
  { depth, address, code }: RunningCode,
): Promise<SourcePlaces | undefined> => {
  const transaction = await call<Transaction | null>('eth_getTransactionByHash', hash)
  if (code !== null) {
    const bytes = await codeAt(code, transaction)
    return deployedPlaces(await findCompiled(bytes, false), bytes)
  }
  const isOutermost = depth === 1
  if (isOutermost) return creationPlaces(await findCompiled(transaction?.input ?? '0x', true))
  // What a contract creates is known by what it became.
  return creationPlaces(await findCompiled(await codeAt(address, transaction), false))
}

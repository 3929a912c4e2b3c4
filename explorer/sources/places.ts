import { delegateOf, hexToBytes } from '../format/hex.ts'
import { chainChanges } from '../live/live.ts'
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

/** Code that runs: that of a contract, that which creates one, or, inside of another contract, what the created one became. */
interface Code {
  readonly kind: 'deployed' | 'creating' | 'became'
  readonly bytes: Hex
}

/** Keeps what was requested, the newest, as long as it did not fail. */
class Kept<T> {
  readonly #max: number
  readonly #found = new Map<string, Promise<T>>()

  constructor(max: number) {
    this.#max = max
  }

  get(key: string, load: () => Promise<T>): Promise<T> {
    const known = this.#found.get(key)
    if (known !== undefined) return known
    const loading = load()
    this.#found.set(key, loading)
    loading.catch(() => this.#found.delete(key))
    const [oldest] = this.#found.keys()
    if (this.#found.size > this.#max && oldest !== undefined) this.#found.delete(oldest)
    return loading
  }

  clear(): void {
    this.#found.clear()
  }
}

/** The code of an account in a transaction: requested once, since a step of a loop runs it again and again. */
const codes = new Kept<Code>(200)
/** The places of a code, whichever account has it: an address can get other code later. */
const places = new Kept<SourcePlaces | undefined>(50)

// On another chain, or further back on this one, an address has other code.
chainChanges.subscribe(() => codes.clear())
compiledVersion.subscribe(() => places.clear())

/** Returns the places in the source of the code that a step runs; undefined if nobody gave its source. */
export const placesOf = async (hash: string, step: RunningCode): Promise<SourcePlaces | undefined> => {
  const key = `${hash} ${step.code ?? `${step.depth} ${step.address}`}`
  const code = await codes.get(key, () => codeOf(hash, step))
  return places.get(`${code.kind} ${code.bytes}`, () => load(code))
}

/** The code of an account after a block, or now, where the state of that block is gone. */
const codeAt = async (address: Hex, transaction: Transaction | null): Promise<Hex> => {
  const ask = (account: string) =>
    call<Hex>('eth_getCode', account, transaction?.blockNumber ?? 'latest').catch(() =>
      call<Hex>('eth_getCode', account, 'latest'),
    )
  const code = await ask(address)
  // An account that acts with the code of another one (EIP-7702).
  const delegate = delegateOf(code)
  return delegate === undefined ? code : ask(delegate)
}

const codeOf = async (hash: string, { depth, address, code }: RunningCode): Promise<Code> => {
  const transaction = await call<Transaction | null>('eth_getTransactionByHash', hash)
  if (code !== null) return { kind: 'deployed', bytes: await codeAt(code, transaction) }
  if (depth === 1) return { kind: 'creating', bytes: transaction?.input ?? '0x' }
  return { kind: 'became', bytes: await codeAt(address, transaction) }
}

const load = async ({ kind, bytes }: Code): Promise<SourcePlaces | undefined> => {
  const compiled = await findCompiled(bytes, kind === 'creating')
  return compiled && (kind === 'deployed' ? deployedPlaces(compiled, bytes) : creationPlaces(compiled))
}

const deployedPlaces = ({ name, sourceMap, sources }: Compiled, code: Hex): SourcePlaces =>
  new SourcePlaces(name, sourceMap, hexToBytes(code), sources)

const creationPlaces = ({ name, creationMap, creationCode, sources }: Compiled): SourcePlaces =>
  new SourcePlaces(name, creationMap, hexToBytes(creationCode), sources)

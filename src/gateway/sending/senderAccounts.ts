import { create, toBinary } from '@bufbuild/protobuf'
import { withAnySignal } from '../../base/abort.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { unavailable } from '../../chain/chainError.ts'
import { emptyCodeHash } from '../../chain/state/evmState.ts'
import { parseDelegation } from '../../chain/transaction/delegation.ts'
import {
  type NativeQueryClient,
  NativeQueryError,
  type ResponseCheck,
  readableAs,
} from '../../comet/data/nativeQuery.ts'
import {
  QueryAccountRequestSchema,
  QueryAccountResponseSchema,
  QueryCodeRequestSchema,
  QueryCodeResponseSchema,
} from '../../cosmos/gen/cosmos/evm/vm/v1/query_pb.ts'
import { decodeLargeMessage } from '../../cosmos/protobuf.ts'
import { evmMethods } from '../../cosmos/queries/moduleMethods.ts'
import { isAccount } from '../../families/queries/answerValues.ts'
import { noUpstreamError } from '../../families/queries/chainErrors.ts'
import type { PoolState } from '../../pool/types.ts'

export interface SenderAccount {
  readonly nonce: bigint
  readonly balance: bigint
  readonly codeKind: ReturnType<PoolState['codeKind']>
}

interface AccountsOptions {
  /** The package of the EVM module's queries. */
  readonly evmPackage: string
  readonly timeoutMs: number
  /** The largest number of cached accounts; those that the pool needs are fetched again at each head. */
  readonly maxKnown: number
  readonly maxConcurrent: number
}

/** An account as one node tells it. */
export interface AccountOpinion {
  readonly node: string
  readonly account: SenderAccount
}

type Queries = Pick<NativeQueryClient, 'query'>

interface AccountsDependencies {
  readonly queries: Queries
  /** Returns nodes that can each be asked alone about the state of a height, the best first; by default there are none. */
  readonly nodesAlone?: ((height: number) => readonly (Queries & { readonly name: string })[]) | undefined
  /** The height of the newest block that is served. */
  readonly height: () => number
  /** Returns whether the pool has transactions of a sender: its account stays as it is known if it cannot be read. */
  readonly isFollowed: (address: Uint8Array) => boolean
  readonly closing: AbortSignal
}

/** How many nodes are asked for an account for which a transaction would be rejected. */
const maxOpinions = 3

const noCode: ReadonlySet<string> = new Set(['', toHex(emptyCodeHash), toHex(new Uint8Array(32))])
const emptyAccount: SenderAccount = { nonce: 0n, balance: 0n, codeKind: 'none' }

/** An account as it was read; without a height if a node gave its newest state, of whatever height that is. */
type ReadAccount = SenderAccount & { readonly height: number | undefined }

/**
 * The accounts of senders as of the newest block that is served. They are fetched before the pool needs them, because
 * it reads synchronously. The height is fixed, because the pool would otherwise drop transactions of blocks that are
 * not stored yet.
 */
export class SenderAccounts {
  readonly #options: AccountsOptions
  readonly #dependencies: AccountsDependencies
  readonly #cache = new Map<string, ReadAccount>()
  readonly #inFlight = new Map<string, Promise<void>>()

  constructor(options: AccountsOptions, dependencies: AccountsDependencies) {
    this.#options = options
    this.#dependencies = dependencies
  }

  /**
   * Returns a loaded account. An account that was never loaded is empty, so that none of its transactions are accepted.
   */
  get(address: Uint8Array): SenderAccount {
    return this.#cache.get(toHex(address)) ?? emptyAccount
  }

  /** Returns the height at which an account was loaded; undefined if that is not known. */
  heightOf(address: Uint8Array): number | undefined {
    return this.#cache.get(toHex(address))?.height
  }

  /**
   * Resolves when the account is known as of the newest block, or as well as it can be. Throws a `ChainError` of kind
   * `unavailable`.
   */
  async load(address: Uint8Array): Promise<void> {
    const id = toHex(address)
    // A new head may have changed the account in the meantime. The attempts are limited, because the chain may be
    // faster than its queries.
    for (let attempt = 0; attempt < 3; attempt++) {
      const height = this.#dependencies.height()
      if (this.#cache.get(id)?.height === height) return
      const key = `${id}@${height}`
      await (this.#inFlight.get(key) ?? this.#fetch(id, address, height, key))
      if (this.#dependencies.height() === height) return
    }
  }

  /** Loads accounts, a few at a time. Accounts that cannot be fetched stay as they were. */
  async loadAll(addresses: readonly Uint8Array[]): Promise<void> {
    const left = addresses.slice()
    const work = async (): Promise<void> => {
      for (let address = left.pop(); address !== undefined; address = left.pop())
        await this.load(address).catch(() => {})
    }
    await Promise.all(Array.from({ length: this.#options.maxConcurrent }, work))
  }

  /** Fetches an account as of the chain's newest state, which may be ahead of what is served. It is not cached. */
  readNewest(address: Uint8Array): Promise<SenderAccount> {
    return this.#read(address, undefined)
  }

  /** Reads an account at a height as each of some nodes tells it; those that do not tell it are left out. */
  async readEach(address: Uint8Array, height: number): Promise<readonly AccountOpinion[]> {
    const nodes = this.#dependencies.nodesAlone?.(height).slice(0, maxOpinions) ?? []
    const told = nodes.map((node) =>
      this.#read(address, height, node).then(
        (account) => [{ node: node.name, account }],
        () => [],
      ),
    )
    return (await Promise.all(told)).flat()
  }

  /** Replaces a cached account by what another node reported for the same height. */
  replace(address: Uint8Array, account: SenderAccount): void {
    const id = toHex(address)
    const known = this.#cache.get(id)
    if (known !== undefined) this.#cache.set(id, { ...account, height: known.height })
  }

  #fetch(id: string, address: Uint8Array, height: number, key: string): Promise<void> {
    const fetched = this.#readAt(address, height)
      .then((account) => {
        this.#cache.delete(id)
        this.#cache.set(id, account)
        if (this.#cache.size > this.#options.maxKnown) {
          const [oldest] = this.#cache.keys()
          if (oldest !== undefined) this.#cache.delete(oldest)
        }
      })
      .finally(() => this.#inFlight.delete(key))
    this.#inFlight.set(key, fetched)
    return fetched
  }

  /**
   * Fetches an account at a height. If the upstream does not have the state of that height, as one of many behind a balancer
   * may be late, an account whose transactions wait stays as it is known; of others the newest state is taken.
   */
  async #readAt(address: Uint8Array, height: number): Promise<ReadAccount> {
    try {
      return { ...(await this.#read(address, height)), height }
    } catch (error) {
      const kind = error instanceof NativeQueryError ? error.kind : undefined
      if (kind !== 'pruned' && kind !== 'future height') return throwChainError(error)
      const known = this.#cache.get(toHex(address))
      if (known !== undefined && this.#dependencies.isFollowed(address)) return known
      const newest = await this.#read(address, undefined).catch(throwChainError)
      return { ...newest, height: undefined }
    }
  }

  async #read(
    address: Uint8Array,
    height: number | undefined,
    queries: Queries = this.#dependencies.queries,
  ): Promise<SenderAccount> {
    const text = toHex(address)
    const request = toBinary(QueryAccountRequestSchema, create(QueryAccountRequestSchema, { address: text }))
    const answer = await this.#query(
      queries,
      evmMethods.account.name,
      request,
      height,
      readableAs(QueryAccountResponseSchema, isAccount),
    )
    const account = decodeLargeMessage(QueryAccountResponseSchema, answer)
    if (account === undefined) throw new Error(`the account ${text} cannot be read`)
    const { nonce, balance, codeHash } = account
    const codeKind = noCode.has(codeHash.toLowerCase())
      ? 'none'
      : await this.#kindOfCode(queries, text, height)
    return { nonce, balance: BigInt(balance), codeKind }
  }

  async #kindOfCode(
    queries: Queries,
    address: string,
    height: number | undefined,
  ): Promise<SenderAccount['codeKind']> {
    const request = toBinary(QueryCodeRequestSchema, create(QueryCodeRequestSchema, { address }))
    const answer = await this.#query(
      queries,
      evmMethods.code.name,
      request,
      height,
      readableAs(QueryCodeResponseSchema),
    )
    const code = decodeLargeMessage(QueryCodeResponseSchema, answer)?.code
    if (code === undefined) throw new Error(`the code of ${address} cannot be read`)
    if (code.length === 0) return 'none'
    return parseDelegation(code) === undefined ? 'contract' : 'delegation'
  }

  #query(
    queries: Queries,
    name: string,
    request: Uint8Array,
    height: number | undefined,
    isReadable: ResponseCheck,
  ): Promise<Uint8Array> {
    const { closing } = this.#dependencies
    const { evmPackage, timeoutMs } = this.#options
    const path = `/${evmPackage}.Query/${name}`
    return withAnySignal([closing], (signal) => queries.query(path, request, height, signal, isReadable), {
      timeoutMs,
    })
  }
}

const throwChainError = (error: unknown): never => {
  if (error instanceof NativeQueryError && error.kind === 'unavailable') throw noUpstreamError(error.message)
  const reason = error instanceof Error ? error.message : String(error)
  throw unavailable(`the sender's account cannot be read from the chain: ${reason}`)
}

import { emptyBytes } from '../../../../src/base/encoding/bytes.ts'
import type { Traits } from '../families.ts'
import type { ModelState } from '../model.ts'
import { any, nested } from '../wire.ts'
import { type CometHeader, dataHash, headerHash, sha256 } from './comet.ts'
import type { Entry } from './contents.ts'
import { type EthereumHeader, encodeHeader } from './ethereumHeader.ts'
import { bankSend, proposerEntry, wrap } from './native.ts'
import {
  anteEvents,
  type BlockEvents,
  blockEvents,
  type Executed,
  encodeData,
  event,
  messageEvents,
  type ReplayResult,
  type ResponseBlock,
} from './results.ts'
import { effectivePrice, keccak, type SignedTransaction } from './signing.ts'
import { bloomOf, encodeReceipt, orderedRoot } from './trie.ts'

/** From what a block holds to the block, its results, and what Ethereum sees of both. */

export interface BuiltBlock {
  readonly header: CometHeader
  readonly hash: Uint8Array
  readonly partsHash: Uint8Array
  readonly natives: readonly Uint8Array[]
  readonly results: readonly ReplayResult[]
  readonly traits: Traits
  readonly bloom: Uint8Array
  /** The Ethereum transactions, and for each the entry of the block that it is in. */
  readonly executed: readonly Executed[]
  readonly entryOf: readonly number[]
  /** What the application says after it. */
  readonly appHash: Uint8Array
  /** At 18 decimals. */
  readonly fee: bigint
  readonly gasUsed: bigint
  /** What the fee market counts. */
  readonly marketGas: bigint
  readonly maxGas: bigint
  readonly nextMaxGas: bigint | undefined
  readonly miner: Uint8Array
  /** Of our own chain, and in RLP. */
  readonly own: EthereumHeader | undefined
  readonly ownRlp: Uint8Array | undefined
}

export interface BlockBuildContext {
  readonly traits: Traits
  /** Results in the layout of SDK 0.45. */
  readonly oldData: boolean
  readonly world: ModelState
  readonly fee: bigint
  readonly maxGas: bigint
  readonly nextMaxGas: bigint | undefined
  readonly miner: Uint8Array
  /** Hash of the Ethereum block before, where the chain is ours. */
  readonly ownParent: Uint8Array
  readonly returnBytes?: number | undefined
  /** Returns the AppHash after the block, of our own chain the state root; undefined: any. */
  readonly commitment?: (() => Uint8Array) | undefined
  /** 65 bytes and more to fill in what is not modelled. */
  readonly noise: (label: string) => Uint8Array
}

const noBloom = new Uint8Array(256)
const ok = { code: 0, codespace: '', log: '', data: emptyBytes, events: [] } as const

class Block {
  readonly #site: BlockBuildContext
  readonly #block: ResponseBlock
  readonly executed: Executed[] = []
  readonly entryOf: number[] = []
  #logs = 0

  constructor(site: BlockBuildContext, block: ResponseBlock) {
    this.#site = site
    this.#block = block
  }

  #execute(tx: SignedTransaction, at: number, forced?: Executed['outcome']): Executed {
    const { world, fee, traits } = this.#site
    const floor = traits.family === 'perihelion' ? 0 : 0.5
    const outcome = forced ?? world.execute(tx, this.#block.height, fee / 10n ** 18n, floor)
    const executed = { tx, outcome, index: this.executed.length, firstLog: this.#logs }
    this.#logs += outcome.logs.length
    this.executed.push(executed)
    this.entryOf.push(at)
    return executed
  }

  result(entry: Entry, native: Uint8Array, at: number): ReplayResult {
    switch (entry.kind) {
      case 'ethereum':
        return this.#delivered(entry.transactions, native, at)
      case 'ante':
        return this.#refused(
          5,
          'failed to check sender balance: sender balance < tx cost: insufficient funds',
        )
      case 'no gas left':
        return this.#refused(11, 'no block gas left to run tx: out of gas')
      case 'block gas':
        return this.#outOfBlockGas(entry.transactions, at)
      case 'cosmos':
        return this.#cosmos(entry)
      case 'junk': {
        const code = this.#site.noise(`junk ${at}`)[0] as number
        if (code % 2 === 0) return { ...ok, gasWanted: 0n, gasUsed: 0n }
        return this.#refused(2, 'tx parse error')
      }
    }
  }

  #delivered(transactions: readonly SignedTransaction[], native: Uint8Array, at: number): ReplayResult {
    const { traits, oldData } = this.#site
    const executed = transactions.map((tx) => this.#execute(tx, at))
    const hash = sha256(native)
    const failed = traits.family === 'perihelion' && executed.some(({ outcome }) => !outcome.success)
    return {
      code: failed ? 1 : 0,
      codespace: failed ? 'evm' : '',
      data: encodeData(executed, this.#block, traits, oldData),
      log: failed ? (executed[0]?.outcome.error ?? '') : '',
      gasWanted: transactions.reduce((sum, tx) => sum + tx.gasLimit, 0n),
      gasUsed: executed.reduce((sum, { outcome }) => sum + outcome.chargedGas, 0n),
      events: [
        ...anteEvents(executed, traits),
        ...executed.flatMap((entry, n) => messageEvents(entry, n, hash, this.#block, traits)),
      ],
    }
  }

  /** The fee is taken and the nonce used; nothing else happened. */
  #outOfBlockGas(transactions: readonly SignedTransaction[], at: number): ReplayResult {
    const { world, fee, traits } = this.#site
    const gas = transactions.reduce((sum, tx) => sum + tx.gasLimit, 0n)
    const executed = transactions.map((tx) => {
      const { balance } = world.account(tx.from, this.#block.height)
      const paid = tx.gasLimit * effectivePrice(tx, fee / 10n ** 18n)
      world.setAccount(tx.from, this.#block.height, { nonce: tx.nonce + 1n, balance: balance - paid })
      const nothing = { success: false, error: '', output: emptyBytes, logs: [] }
      return this.#execute(tx, at, { ...nothing, usedGas: tx.gasLimit, chargedGas: tx.gasLimit })
    })
    return {
      code: 11,
      codespace: 'sdk',
      data: emptyBytes,
      log: `out of gas in location: block gas meter; gasWanted: ${gas}, gasUsed: ${gas}: out of gas`,
      gasWanted: gas,
      gasUsed: gas,
      events: anteEvents(executed, traits),
    }
  }

  #refused(code: number, log: string): ReplayResult {
    return {
      code,
      codespace: 'sdk',
      data: emptyBytes,
      log,
      gasWanted: this.#site.traits.oldEngine ? 0n : -1n,
      gasUsed: 0n,
      events: [],
    }
  }

  #cosmos({ fails, convertsTokens }: Extract<Entry, { kind: 'cosmos' }>): ReplayResult {
    const events = [
      event('coin_spent', ['spender', 'a'], ['amount', '5']),
      event('tx', ['fee', '200000']),
      // EVM work of another module: it makes no Ethereum transaction.
      ...(convertsTokens && !fails
        ? [
            event(
              'ethereum_tx',
              ['amount', '0'],
              ['ethereumTxHash', `0x${'ab'.repeat(32)}`],
              ['txIndex', '0'],
            ),
          ]
        : []),
    ]
    const gas = { gasWanted: 200_000n, gasUsed: 73_410n, events }
    if (fails) return { ...ok, ...gas, code: 5, codespace: 'sdk', log: 'failed to execute message' }
    return { ...ok, ...gas, data: nested(2, any('/cosmos.bank.v1beta1.MsgSendResponse', emptyBytes)) }
  }
}

const nativeOf = (entry: Entry, site: BlockBuildContext, at: number): Uint8Array => {
  if (entry.kind === 'junk') return entry.bytes
  if (entry.kind !== 'cosmos') return wrap(entry.transactions, site.traits)
  const { prefix } = site.traits
  return bankSend(`${prefix}1aaaa`, `${prefix}1bbbb`, BigInt(at + 1), site.traits, site.noise(`send ${at}`))
}

/** The sum of what results say, up to the first for which the block had nothing left. */
const gasOf = (results: readonly ReplayResult[]): bigint => {
  const last = results.findIndex(({ code, log }) => code === 11 && log.startsWith('no block gas left'))
  return results.slice(0, last < 0 ? undefined : last).reduce((sum, { gasUsed }) => sum + gasUsed, 0n)
}

export const buildBlock = (
  entries: readonly Entry[],
  header: Omit<CometHeader, 'dataHash'>,
  site: BlockBuildContext,
): BuiltBlock => {
  const { traits, fee, maxGas, miner } = site
  const isOwn = traits.family === 'perihelion'
  const natives = entries.map((entry, at) => nativeOf(entry, site, at))
  if (isOwn) natives.unshift(proposerEntry(header.height, miner))
  const whole = { ...header, dataHash: dataHash(natives) }
  const hash = headerHash(whole)
  const block = new Block(site, {
    height: header.height,
    hash,
    seconds: header.time.seconds,
    returnBytes: site.returnBytes,
  })
  const first = isOwn ? 1 : 0
  const results = entries.map((entry, at) =>
    block.result(entry, natives[at + first] as Uint8Array, at + first),
  )
  if (isOwn) results.unshift({ ...ok, gasWanted: 0n, gasUsed: 0n })
  const gasUsed = gasOf(results)
  const wanted = results.reduce((sum, { gasWanted }) => sum + (gasWanted > 0n ? gasWanted : 0n), 0n) / 2n
  const logs = block.executed.flatMap(({ outcome }) => outcome.logs)
  const bloom = logs.length === 0 ? noBloom : bloomOf(logs)
  const own = isOwn ? ownHeader(block.executed, whole, hash, site, gasUsed, bloom) : undefined
  const rlp = own && encodeHeader(own)
  const marketGas = isOwn || gasUsed > wanted ? gasUsed : wanted
  return {
    header: whole,
    hash,
    partsHash: site.noise('parts').subarray(0, 32),
    natives,
    results,
    traits,
    bloom,
    executed: block.executed,
    entryOf: block.entryOf,
    appHash: rlp ? keccak(rlp) : (site.commitment?.() ?? site.noise('app').subarray(0, 32)),
    fee,
    gasUsed,
    marketGas,
    maxGas,
    nextMaxGas: site.nextMaxGas,
    miner,
    own,
    ownRlp: rlp,
  }
}

/** Made when they are asked for: most blocks of a long chain are held, and few are read. */
export const eventsOf = ({ traits, header, fee, marketGas, bloom, ownRlp }: BuiltBlock): BlockEvents =>
  blockEvents(traits, header.height, fee, marketGas, bloom, ownRlp)

export const receiptsOf = (executed: readonly Executed[]): Uint8Array[] => {
  let cumulative = 0n
  return executed.map(({ tx, outcome }) => {
    cumulative += outcome.chargedGas
    return encodeReceipt(tx.type, outcome.success, cumulative, outcome.logs)
  })
}

const ownHeader = (
  executed: readonly Executed[],
  header: CometHeader,
  hash: Uint8Array,
  site: BlockBuildContext,
  gasUsed: bigint,
  logsBloom: Uint8Array,
): EthereumHeader => ({
  parentHash: site.ownParent,
  miner: site.miner,
  stateRoot: site.commitment?.() ?? site.noise('state').subarray(0, 32),
  transactionsRoot: orderedRoot(executed.map(({ tx }) => tx.raw)),
  receiptsRoot: orderedRoot(receiptsOf(executed)),
  logsBloom,
  number: BigInt(header.height),
  gasLimit: site.maxGas,
  gasUsed,
  timestamp: BigInt(header.time.seconds),
  mixHash: hash,
  baseFee: site.fee / 10n ** 18n,
})

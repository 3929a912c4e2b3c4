import { emptyBytes } from '../../../src/base/encoding/bytes.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { nextFee } from './block/baseFee.ts'
import { BlockIndex } from './block/blockIndex.ts'
import { type BuiltBlock, buildBlock, eventsOf } from './block/buildBlock.ts'
import { emptyHash, resultsHash, sha256 } from './block/comet.ts'
import {
  blockJson,
  consensusParamsJson,
  type JsonResults,
  newBlockJson,
  resultsJson,
} from './block/cometJson.ts'
import { type Author, type Content, type Entry, entriesOf } from './block/contents.ts'
import { type EthereumHeader, encodeHeader } from './block/ethereumHeader.ts'
import { keccak, keyOf } from './block/signing.ts'
import { emptyRoot } from './block/trie.ts'
import {
  commitJson,
  type ReplayValidator,
  validatorOf,
  validatorsHash,
  validatorsJson,
} from './block/validators.ts'
import {
  futureHeight,
  prunedState,
  type QueryAnswer,
  QueryError,
  type ReplayChain,
  type Submission,
  type TransactionLocation,
  type TransactionSearch,
} from './chain.ts'
import { type ReplayFamily, type Traits, traitsOf } from './families.ts'
import { contractCode, createdAddress, ModelState } from './model.ts'
import { Mempool } from './server/mempool.ts'
import { answerQuery } from './server/stateQueries.ts'
import type { Multistore } from './stores/multistore.ts'
import { worldStores } from './stores/worldStores.ts'
import { WorldTries } from './stores/worldTries.ts'

export interface SyntheticOptions {
  readonly family: ReplayFamily
  readonly seed?: number
  /** How many blocks there are at the start. */
  readonly length?: number
  readonly initialHeight?: number
  /** What blocks hold: all kinds of transactions, none, or so many that emit two logs each. Default varied. */
  readonly content?: Content
  /** How many accounts send what blocks hold; 8 by default. */
  readonly authors?: number
  /** Only every so manieth block holds anything. */
  readonly every?: number
  /** How many bytes each message of a block returns; undefined: as many as it does. */
  readonly returnBytes?: (height: number) => number | undefined
  readonly nativeChainId?: string
  readonly maxGas?: bigint
  /** Results below this height have the layout of SDK 0.45. */
  readonly oldDataBelow?: number
  /** After so many blocks one of the validators is another. */
  readonly rotateEvery?: number
  /**
   * From this height on its blocks are others, and signed by the same validators, by somebody without their keys, or by
   * somebody who names himself as the only validator.
   */
  readonly fork?: { readonly at: number; readonly isSigned: boolean; readonly hasOwnValidators?: boolean }
  /** What the chain was before it became what it is: for heights below. */
  readonly before?: { readonly height: number; readonly family: ReplayFamily }
  /** Its AppHash commits to its state, of which there are proofs. */
  readonly hasProofs?: boolean
}

const genesisTime = 1_790_000_000
const firstFee = 10n ** 27n
const defaultAuthors = 8
const validatorCount = 3
const startBalance = 10n ** 30n

/** A chain that is made up, block by block as it is asked for; the same options give the same chain. */
export class SyntheticChain implements ReplayChain {
  readonly traits: Traits
  readonly world = new ModelState()
  readonly authors: readonly Author[]
  /** Of our own chain: the header of the block before the first. */
  readonly genesis: EthereumHeader
  readonly initialHeight: number
  readonly indexed = true
  earliest: number
  earliestState: number
  readonly #options: SyntheticOptions
  readonly #random: Random
  readonly #blocks: BuiltBlock[] = []
  readonly #index = new BlockIndex()
  readonly #validators = new Map<number, ReplayValidator>()
  readonly #constants = new Map<string, Uint8Array>()
  readonly #contracts: Uint8Array[]
  readonly #pool = new Mempool()
  readonly #stores = new Map<number, Multistore>()
  readonly #tries = new Map<number, WorldTries>()
  #head: number

  constructor(options: SyntheticOptions) {
    const { family, seed = 1, length = 1, initialHeight = 1, nativeChainId } = options
    const traits = traitsOf[family]
    this.#options = options
    this.traits = nativeChainId === undefined ? traits : { ...traits, nativeChainId }
    this.#random = createRandom(seed)
    this.initialHeight = initialHeight
    this.earliest = initialHeight
    this.earliestState = initialHeight
    this.#head = initialHeight + length - 1
    this.authors = Array.from({ length: options.authors ?? defaultAuthors }, (_, at) => ({
      key: keyOf(this.noise(`author ${at}`).subarray(0, 32)),
      nonce: 0n,
    }))
    this.#contracts = [this.noise('contract').subarray(0, 20)]
    for (const { key } of this.authors)
      this.world.setAccount(key.address, 0, { nonce: 0n, balance: startBalance })
    for (const address of this.#contracts) {
      this.world.setAccount(address, 0, { nonce: 1n, balance: 0n })
      this.world.setCode(address, 0, contractCode)
    }
    this.genesis = this.#genesisHeader()
  }

  get nativeChainId(): string {
    return this.traits.nativeChainId
  }

  get engine(): string {
    return this.traits.engine
  }

  get oldEngine(): boolean {
    return this.traits.oldEngine
  }

  get head(): number {
    return this.#head
  }

  /** As after a restore from an older copy: the same blocks come again. */
  set head(height: number) {
    this.#head = height
  }

  /** Bytes that depend on the seed and the label alone. */
  noise(label: string): Uint8Array {
    const first = sha256(Buffer.from(`${this.#options.seed ?? 1} ${this.#options.family} ${label}`))
    return Buffer.concat([first, sha256(first), Uint8Array.of(1)])
  }

  /** Noise that is the same object each time. */
  #constant(label: string, length: number): Uint8Array {
    const known = this.#constants.get(label) ?? this.noise(label).subarray(0, length)
    this.#constants.set(label, known)
    return known
  }

  built(height: number): BuiltBlock | undefined {
    if (height < this.earliest || height > this.#head) return undefined
    return this.#build(height)
  }

  #build(height: number): BuiltBlock {
    while (this.initialHeight + this.#blocks.length <= height) this.#append()
    return this.#blocks[height - this.initialHeight] as BuiltBlock // just made, if it was not there
  }

  #genesisHeader(): EthereumHeader {
    return {
      parentHash: new Uint8Array(32),
      miner: new Uint8Array(20),
      stateRoot: this.#options.hasProofs
        ? this.triesAt(this.initialHeight - 1).root
        : this.noise('genesis').subarray(0, 32),
      transactionsRoot: emptyRoot,
      receiptsRoot: emptyRoot,
      logsBloom: new Uint8Array(256),
      number: BigInt(this.initialHeight - 1),
      gasLimit: this.#options.maxGas ?? 30_000_000n,
      gasUsed: 0n,
      timestamp: BigInt(genesisTime),
      mixHash: new Uint8Array(32),
      baseFee: firstFee / 10n ** 18n,
    }
  }

  #traitsAt(height: number): Traits {
    const { before } = this.#options
    if (before === undefined || height >= before.height) return this.traits
    const { engine, oldEngine, nativeChainId, chainId, denom, prefix } = this.traits
    return { ...traitsOf[before.family], engine, oldEngine, nativeChainId, chainId, denom, prefix }
  }

  #append(): void {
    const height = this.initialHeight + this.#blocks.length
    const last = this.#blocks.at(-1)
    const traits = this.#traitsAt(height)
    const maxGas = last?.nextMaxGas ?? last?.maxGas ?? this.#options.maxGas ?? 30_000_000n
    const fee = last ? nextFee(last.fee, last.marketGas, last.maxGas, traits.decimalFees) : firstFee
    const proposer = height % validatorCount
    const header = {
      chainId: traits.nativeChainId,
      versionApp: 0,
      height,
      time: {
        seconds: genesisTime + height * 2,
        nanos: (height * 7_919 + (this.#isForked(height) ? 1 : 0)) % 1_000_000_000,
      },
      lastHash: last?.hash ?? emptyBytes,
      lastPartsHash: last?.partsHash ?? emptyBytes,
      lastCommitHash: last ? this.noise(`commit ${height}`).subarray(0, 32) : emptyHash,
      validatorsHash: this.#validatorsHash(height),
      nextValidatorsHash: this.#validatorsHash(height + 1, height),
      consensusHash: this.#constant(`params ${maxGas}`, 32),
      appHash: last?.appHash ?? this.#firstAppHash(),
      lastResultsHash: resultsHash(last?.results ?? []),
      evidenceHash: emptyHash,
      proposer: this.proposer(proposer),
    }
    const block = buildBlock(this.#contents(height, traits, fee), header, {
      traits,
      oldData: height < (this.#options.oldDataBelow ?? 0),
      world: this.world,
      returnBytes: this.#options.returnBytes?.(height),
      fee,
      maxGas,
      nextMaxGas: this.#options.content !== 'empty' && height % 50 === 0 ? maxGas + 1_000n : undefined,
      miner: this.operator(proposer),
      commitment: this.#options.hasProofs ? () => this.#commitment(height) : undefined,
      ownParent: last?.appHash ?? this.#firstAppHash(),
      noise: (label) => this.noise(`${height} ${label}`),
    })
    this.#blocks.push(block)
    this.#index.add(block)
    for (const { tx, outcome } of block.executed)
      if (tx.to === undefined && outcome.success && this.#contracts.length < 6)
        this.#contracts.push(createdAddress(tx.from, tx.nonce))
  }

  #firstAppHash(): Uint8Array {
    return this.#isOurs ? keccak(encodeHeader(this.genesis)) : emptyHash
  }

  /** A validator's name in headers, and the account that operates it. */
  proposer(at: number): Uint8Array {
    return this.#validator(at).address
  }

  #validator(at: number): ReplayValidator {
    const known = this.#validators.get(at) ?? validatorOf(this.noise(`validator ${at}`), 1_000)
    this.#validators.set(at, known)
    return known
  }

  /** The validators of a height: from time to time one goes and another comes. */
  validatorsAt(height: number, toldAt = height): readonly ReplayValidator[] {
    const { rotateEvery } = this.#options
    if (this.#isOwn(toldAt)) return [this.#forger]
    const first = rotateEvery === undefined ? 0 : Math.floor(height / rotateEvery)
    return Array.from({ length: validatorCount }, (_, at) => this.#validator(first + at))
  }

  #isForked(height: number): boolean {
    return height >= (this.#options.fork?.at ?? Number.POSITIVE_INFINITY)
  }

  #isOwn(height: number): boolean {
    return this.#isForked(height) && this.#options.fork?.hasOwnValidators === true
  }

  get #forger(): ReplayValidator {
    return validatorOf(this.noise('forger'), 1)
  }

  /** The hash of the validators of a height, as the header of this or the height before tells it. */
  #validatorsHash(height: number, toldAt = height): Uint8Array {
    const { rotateEvery } = this.#options
    const set = rotateEvery === undefined ? 0 : Math.floor(height / rotateEvery)
    const label = `validators ${this.#isOwn(toldAt) ? 'of the forger' : set}`
    const known = this.#constants.get(label) ?? validatorsHash(this.validatorsAt(height, toldAt))
    this.#constants.set(label, known)
    return known
  }

  operator(at: number): Uint8Array {
    return this.#constant(`operator ${at}`, 20)
  }

  get validatorCount(): number {
    return validatorCount
  }

  #contents(height: number, traits: Traits, fee: bigint): readonly Entry[] {
    const sent = this.#pool.take()
    if (sent.length > 0) return sent.map(({ transactions }) => ({ kind: 'ethereum', transactions }))
    const { content = 'varied', every = 1 } = this.#options
    if (height % every !== 0) return []
    return entriesOf(content, {
      random: this.#random,
      traits,
      authors: this.authors,
      contracts: this.#contracts,
      baseFee: fee / 10n ** 18n,
    })
  }

  block(height: number): string | undefined {
    const block = this.built(height)
    return block && blockJson(block)
  }

  results(height: number): string | undefined {
    const block = this.built(height)
    return block && resultsJson(jsonResults(block), this.oldEngine)
  }

  newBlock(height: number): string | undefined {
    const block = this.built(height)
    return block && newBlockJson(block, jsonResults(block), this.oldEngine)
  }

  consensusParams(height: number): string {
    return consensusParamsJson(height, this.built(height)?.maxGas ?? this.#options.maxGas ?? 30_000_000n)
  }

  validators(height: number): string {
    return validatorsJson(height, this.validatorsAt(height))
  }

  commit(height: number): string | undefined {
    const block = this.built(height)
    const validators = this.validatorsAt(height)
    const hasKeys = !this.#isForked(height) || this.#options.fork?.isSigned
    const { key } = this.#forger
    return block && commitJson(block, hasKeys ? validators : validators.map((one) => ({ ...one, key })))
  }

  heightOf(blockHash: string): number | undefined {
    this.#build(this.#head)
    const height = this.#index.heightOf(blockHash)
    return height !== undefined && height <= this.#head && height >= this.earliest ? height : undefined
  }

  find({ nativeHash, ethereumHash, height, from, to }: TransactionSearch): readonly TransactionLocation[] {
    this.#build(this.#head)
    const named = nativeHash ?? ethereumHash
    if (named !== undefined) {
      const place = this.#index.placeOf(named)
      return place && place.height <= this.#head ? [place] : []
    }
    const low = Math.max(height ?? from ?? this.earliest, this.earliest)
    const high = Math.min(height ?? to ?? this.#head, this.#head)
    return this.#index.busy
      .filter((busy) => busy >= low && busy <= high)
      .flatMap((busy) => this.#build(busy).natives.map((_, index) => ({ height: busy, index })))
  }

  busyHeights(): readonly number[] {
    this.#build(this.#head)
    return this.#index.busy.filter((height) => height >= this.earliest && height <= this.#head)
  }

  query(path: string, request: Uint8Array, height: number): QueryAnswer {
    if (height > this.#head) throw futureHeight
    if (height < this.earliestState) throw prunedState(height, this.#head)
    this.#build(height)
    return { code: 0, log: '', value: answerQuery(this, path, request, height) }
  }

  #commitment(height: number): Uint8Array {
    return this.#isOurs ? this.triesAt(height).root : this.storesAt(height).appHash
  }

  get #isOurs(): boolean {
    return this.traits.family === 'perihelion'
  }

  /** Of our own chain: the tries of the state after a block that is built, or being built. */
  triesAt(height: number): WorldTries {
    const known = this.#tries.get(height) ?? new WorldTries(this.world, height)
    this.#tries.set(height, known)
    return known
  }

  /** Of our own chain: the header of a block in RLP. */
  ownHeader(height: number): Uint8Array {
    return this.built(height)?.ownRlp ?? encodeHeader(this.genesis)
  }

  /** The stores after a block that is built, or being built. */
  storesAt(height: number): Multistore {
    const known = this.#stores.get(height) ?? worldStores(this.world, this.traits, height)
    this.#stores.set(height, known)
    return known
  }

  prove(path: string, key: Uint8Array, height: number): QueryAnswer {
    if (!this.#options.hasProofs) throw new QueryError(37, 'a synthetic chain proves nothing: not supported')
    if (height > this.#head) throw futureHeight
    if (height < this.earliestState) throw prunedState(height, this.#head)
    this.#build(height)
    const store = /^\/?store\/([a-z]+)\/key$/.exec(path)?.[1] ?? ''
    const answer = this.#isOurs
      ? this.triesAt(height).answer(store, key, this.ownHeader(height))
      : this.storesAt(height).answer(store, key)
    if (answer === undefined) throw new QueryError(6, `no such store: ${store}: unknown request`)
    return { code: 0, log: '', ...answer }
  }

  unconfirmed(): readonly Uint8Array[] {
    return this.traits.ownMempool ? [] : this.#pool.natives
  }

  submit(native: Uint8Array): Submission {
    this.#build(this.#head)
    return this.#pool.submit(native, this.traits, (address) => this.world.account(address, this.#head))
  }

  grow(): void {
    this.#build(this.#head)
    this.#head++
    this.#build(this.#head)
  }
}

const jsonResults = (block: BuiltBlock): JsonResults => ({
  height: block.header.height,
  results: block.results,
  ...eventsOf(block),
  appHash: block.appHash,
  nextMaxGas: block.nextMaxGas,
})

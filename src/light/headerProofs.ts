import { equalBytes } from '../base/encoding/bytes.ts'
import { toHex } from '../base/encoding/hex.ts'
import { toSignedHeaderJson } from '../comet/data/cometJson.ts'
import { headerHash } from '../comet/data/headerHash.ts'
import type { NativeBlock } from '../comet/data/nativeBlock.ts'
import { NativeQueryError } from '../comet/data/nativeQuery.ts'
import { ProvenLie } from '../comet/data/provenLie.ts'
import type { LightLog } from './lightLog.ts'
import type { SavedTrust, TrustRoot, TrustStore } from './savedTrust.ts'
import {
  fetchDecided,
  fetchKnown,
  fetchLightBlock,
  type LightSource,
  TrustChain,
  withEvidence,
} from './trustChain.ts'
import { TrustError, UnprovenStoreError } from './trustError.ts'
import { CommitCheck } from './verifyCommit.ts'
import {
  assertDecided,
  plainRootSettings,
  type RootSettings,
  type TrustRules,
  trustLevel,
} from './verifyHeader.ts'

/** What is trusted from the beginning, and for how long. Plain data, because it is passed between threads. */
export interface TrustOptions {
  /** The block that the operator trusts; undefined: the newest one of the first node that is asked and another one. */
  readonly root: { readonly height: number; readonly hash: Uint8Array } | undefined
  readonly trustingPeriodMs: number | undefined
  readonly maxClockDriftMs: number
}

export interface HeaderProofsDependencies {
  /** Returns the newest height that other nodes have too; `latest` if there are none. */
  readonly commonHeight: (source: LightSource, latest: number) => number
  /** Returns whether a height may be there, or will be soon: at a node that is behind or cannot be asked now. */
  readonly mayBeThere: (height: number) => boolean
  /** Returns whether each node can be asked now. */
  readonly areAllUsable: () => boolean
  /** Throws a `TrustError` if other nodes have another header at this height, and another error if none has it. */
  readonly askOthers: (source: LightSource, height: number, hash: Uint8Array) => Promise<void>
  /** Returns CometBFT's hash of a stored block. */
  readonly storedHash: (height: number) => Uint8Array | undefined
  /** Returns the newest block that is stored or about to be; undefined if there is none of CometBFT. */
  readonly storedHead: () => { readonly height: number; readonly hash: Uint8Array } | undefined
  readonly store: TrustStore
  readonly rootSettings?: RootSettings
  readonly log: LightLog
}

/** How often trusted headers are saved at least, while new ones come. */
const saveEveryMs = 10_000

/** How far below a node's newest block one that others have too counts as the newest. */
const newestBlocks = 100

/** Headers above the stored block and below the newest trusted one, as one session with a node proves them. */
interface LowerChain {
  readonly source: LightSource
  readonly chain: TrustChain
}

/**
 * Proves headers of blocks by the signatures of validators, from a root of trust on. Blocks below the root, which a new
 * home takes first, are proven when they lead to it; until then their validators' signatures are checked from the first of
 * them on, however old they are.
 *
 * The newest trusted header can be far above the store: blocks that it proves are dropped when a connection breaks, or
 * lost when the process ends. Nothing below it is known then but the stored block, so others are proven from that one.
 */
export class HeaderProofs {
  readonly #options: TrustOptions
  readonly #dependencies: HeaderProofsDependencies
  readonly #rules: TrustRules
  #root: TrustRoot | undefined
  #trusted: TrustChain | undefined
  /** Whether a trusted header proved the stored blocks, by their hashes. Then all that are stored later are proven too. */
  #isStoreProven = false
  #lower: LowerChain | undefined
  /**
   * Counts proofs, and unproven blocks that are about to be stored. A proof that was given up and ends after either says
   * nothing of the blocks that are stored by then.
   */
  #turn = 0
  #savedAt = 0

  constructor(chainId: string, options: TrustOptions, dependencies: HeaderProofsDependencies) {
    this.#options = options
    this.#dependencies = dependencies
    const { trustingPeriodMs, maxClockDriftMs } = options
    this.#rules = { chainId, trustingPeriodMs, maxClockDriftMs, rootSettings: this.#settings }
    this.#load()
  }

  get #settings(): RootSettings {
    return this.#dependencies.rootSettings ?? plainRootSettings
  }

  /** The newest trusted height; undefined if there is no root yet. */
  get trustedHeight(): number | undefined {
    return this.#trusted?.newest.header.height
  }

  /** Makes sure that there is a root. It is asked of this node if there is none yet. */
  async open(source: LightSource, latest: number): Promise<void> {
    if (this.#trusted !== undefined) return
    const { root: wanted } = this.#options
    const { log, askOthers, commonHeight } = this.#dependencies
    if (wanted === undefined && latest < 1) return
    const height = wanted?.height ?? commonHeight(source, latest)
    if (height > latest) throw this.#notThere(height, latest)
    const { header, validators } = await fetchDecided(source, height, this.#rules.chainId)
    const hash = headerHash(header)
    if (wanted !== undefined && !equalBytes(hash, wanted.hash))
      throw await this.#judgeRoot(source, height, hash)
    if (wanted === undefined) {
      await askOthers(source, height, hash)
      log.warn(
        { block: height, hash: toHex(hash), node: source.node },
        `TRUST ON FIRST USE: this block is believed because a node says so, and all others are proven by it; set ${this.#settings.height} and ${this.#settings.hash} to a block that you know`,
      )
    } else log.info({ block: height, hash: toHex(hash) }, 'the trusted block is there')
    this.#root = { height, hash, by: wanted === undefined ? 'first use' : 'setting' }
    // A block that is the newest at its first use has validators that are bonded now, however old it is.
    const isNewest = wanted === undefined && latest - height <= newestBlocks
    const sinceMs = isNewest ? Date.now() : undefined
    this.#trusted = new TrustChain(this.#rules, { header, validators, sinceMs })
    this.#save()
  }

  /** Returns why there is no root yet: its height is above that of a node. */
  #notThere(height: number, latest: number): Error {
    // Nodes are not at the same block, and what they told of theirs may be old: one just above is waited for.
    return this.#dependencies.mayBeThere(height)
      ? new NativeQueryError(
          'future height',
          `it is at ${latest}, below ${this.#settings.height} (${height})`,
        )
      : new TrustError(
          `${this.#settings.height} is ${height}, and the chain is at ${latest}: give a block that it has, with its hash`,
        )
  }

  /** Returns what it means that a node has another block than the root: it lies, or the setting is wrong where all agree. */
  async #judgeRoot(source: LightSource, height: number, hash: Uint8Array): Promise<Error> {
    const agree = await this.#dependencies.askOthers(source, height, hash).then(
      () => true,
      () => false,
    )
    return agree && this.#dependencies.areAllUsable()
      ? new TrustError(
          `block ${height} is ${toHex(hash)} at each node that was asked, and not ${this.#settings.hash}: the hash or the height is wrong, or they are nodes of another chain`,
        )
      : new ProvenLie('other header', height, `its hash is ${toHex(hash)}, not ${this.#settings.hash}`)
  }

  /** Proves the block, and with it all before it that it is linked to, down to the stored ones. */
  async prove(source: LightSource, block: NativeBlock): Promise<void> {
    const trusted = this.#trusted
    if (trusted === undefined) throw new TrustError('there is no trusted block yet')
    const turn = ++this.#turn
    const { height } = block.header
    const newest = trusted.newest.header
    if (height < newest.height) return this.#proveLower(source, block, trusted)
    if (height > newest.height) await trusted.reach(source, height, block.hash)
    else if (!equalBytes(headerHash(newest), block.hash))
      await this.examine(source, height, headerHash(newest))
    if (turn !== this.#turn) return
    const isFirst = !this.#isStoreProven
    this.#isStoreProven = true
    this.#lower = undefined
    if (isFirst || Date.now() - this.#savedAt >= saveEveryMs) this.#save()
  }

  /**
   * Looks into a header of a node that is not the known one at its height, and throws what it is: a header that the same
   * validators signed too, or one that they did not. Where the known one is not proven itself, no node is a liar.
   */
  async examine(source: LightSource, height: number, known: Uint8Array): Promise<never> {
    const trusted = this.#trusted?.newest
    const block = await fetchLightBlock(source, height, trusted?.validators)
    const { chainId } = this.#rules
    const check = new CommitCheck(chainId, block.commit)
    const hash = headerHash(block.header)
    const hashes = { known: toHex(known), other: toHex(hash) }
    const evidence = { ...hashes, signed: toSignedHeaderJson(block) }
    if (equalBytes(hash, known))
      throw new ProvenLie('other header', height, 'it came with two headers', evidence)
    await withEvidence(block, () => assertDecided(block, chainId, check))
    const isTrusted = trusted?.header.height === height && equalBytes(headerHash(trusted.header), known)
    if (trusted === undefined || !(this.#isStoreProven || isTrusted))
      throw new UnprovenStoreError(
        `the stored blocks are not proven yet, and a node has others: block ${height} is ${hashes.other} there, not ${hashes.known}`,
      )
    if (!(await withEvidence(block, () => check.isTrustedBy(trusted.validators, trustLevel))))
      throw new ProvenLie('other header', height, 'validators of the chain did not sign it', evidence)
    throw new ProvenLie(
      'conflicting headers',
      height,
      'validators signed another block at its height',
      evidence,
    )
  }

  /** Takes note that blocks are about to be stored that were not proven here. */
  expectUnproven(): void {
    this.#turn++
    if (!this.#isStoreProven) return
    this.#isStoreProven = false
    this.#save()
  }

  close(): void {
    this.#save()
  }

  async #proveLower(source: LightSource, { header, hash }: NativeBlock, trusted: TrustChain): Promise<void> {
    const { height } = header
    const before = this.#lower?.source === source ? this.#lower.chain : undefined
    const known = before?.newest.header
    if (known?.height === height && equalBytes(headerHash(known), hash)) return
    // What another node said, or this one above the block, may be of no block that is stored.
    const isBelow = known !== undefined && known.height < height
    const chain = before && isBelow ? before : await this.#beginLower(source, trusted)
    if (chain !== undefined) {
      this.#lower = { source, chain }
      return chain.reach(source, height, hash)
    }
    const first = await fetchDecided(source, height, this.#rules.chainId)
    if (!equalBytes(headerHash(first.header), hash))
      throw new ProvenLie('other header', height, 'its commit is for another header')
    this.#lower = { source, chain: new TrustChain(this.#lowerRules, first) }
  }

  /** Begins with the stored block, whose header and validators any node can tell: its hash is known. */
  async #beginLower(source: LightSource, trusted: TrustChain): Promise<TrustChain | undefined> {
    const stored = this.#dependencies.storedHead()
    // The store was removed, or never written: its first blocks are believed until they lead to the trusted header.
    if (stored === undefined) return void this.expectUnproven()
    const { height, hash } = stored
    const found = await fetchKnown(source, height, hash)
    if (found === undefined) return this.examine(source, height, hash)
    const isAfterRoot = this.#isStoreProven && height >= (this.#root?.height ?? height)
    const sinceMs = isAfterRoot ? trusted.newest.sinceMs : undefined
    return new TrustChain(this.#lowerRules, { ...found, sinceMs })
  }

  /** Blocks that lead to the root are as old as they are; those after it have the trusting period. */
  get #lowerRules(): TrustRules {
    return this.#isStoreProven ? this.#rules : { ...this.#rules, trustingPeriodMs: undefined }
  }

  #load(): void {
    const { root } = this.#options
    const { log, store, storedHash } = this.#dependencies
    const stored = root && storedHash(root.height)
    if (root && stored && !equalBytes(stored, root.hash))
      throw new TrustError(
        `block ${root.height} that is stored is ${toHex(stored)}, and not ${this.#settings.hash}: it is of another chain, or the hash is wrong`,
      )
    const saved = store.load()
    if (saved === undefined || saved.chainId !== this.#rules.chainId) return
    const isRooted =
      root === undefined || (saved.root.height === root.height && equalBytes(saved.root.hash, root.hash))
    if (!isRooted) return void log.info({ block: root.height }, 'trust starts over with another block')
    this.#root = saved.root
    this.#trusted = new TrustChain(this.#rules, saved.newest)
    this.#isStoreProven = saved.isStoreProven
  }

  #save(): void {
    const { log, store } = this.#dependencies
    const [root, trusted] = [this.#root, this.#trusted]
    if (root === undefined || trusted === undefined) return
    const { chainId } = this.#rules
    const saved: SavedTrust = { chainId, root, newest: trusted.newest, isStoreProven: this.#isStoreProven }
    try {
      store.save(saved)
    } catch (error) {
      // It is tried again with the next headers; a restart begins with older ones.
      log.error({ reason: (error as Error).message }, 'trusted headers could not be saved')
    }
    this.#savedAt = Date.now()
  }
}

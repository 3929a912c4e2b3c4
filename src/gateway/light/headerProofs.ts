import { equalBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import type { Logger } from '../../base/log.ts'
import type { NativeBlock } from '../parse/native.ts'
import { headerHash } from '../verify/headerHash.ts'
import { ProvenLie } from '../verify/provenLie.ts'
import { toSignedHeaderJson } from './cometJson.ts'
import { fetchDecided, fetchLightBlock, type LightSource, TrustChain } from './trustChain.ts'
import { TrustError } from './trustError.ts'
import { loadTrust, type SavedTrust, saveTrust, type TrustRoot } from './trustFile.ts'
import { CommitCheck } from './verifyCommit.ts'
import { assertDecided, type TrustedHeader, type TrustRules } from './verifyHeader.ts'

/** What is trusted from the beginning, and for how long. Plain data, because it is passed between threads. */
export interface TrustOptions {
  /** The file in which trusted headers are kept. */
  readonly path: string
  /** The block that the operator trusts; undefined: the newest one of the first node that is asked. */
  readonly root: { readonly height: number; readonly hash: Uint8Array } | undefined
  readonly trustingPeriodMs: number | undefined
  readonly maxClockDriftMs: number
}

export interface HeaderProofsDependencies {
  /** Throws a `TrustError` if other nodes have another header at this height. */
  readonly askOthers: (source: LightSource, height: number, hash: Uint8Array) => Promise<void>
  /** Returns CometBFT's hash of a stored block. */
  readonly storedHash: (height: number) => Uint8Array | undefined
  readonly log: Logger
}

/** How often trusted headers are saved at least, while new ones come. */
const saveEveryMs = 10_000
const oneThird = { numerator: 1n, denominator: 3n }

/**
 * Proves headers of blocks by the signatures of validators, from a root of trust on. Blocks below the root, which a new
 * home takes first, are proven when they lead to it; until then their validators' signatures are checked from the first of
 * them on, however old they are.
 */
export class HeaderProofs {
  readonly #options: TrustOptions
  readonly #dependencies: HeaderProofsDependencies
  readonly #rules: TrustRules
  #root: TrustRoot | undefined
  #trusted: TrustChain | undefined
  #history: TrustChain | undefined
  #savedAt = 0

  constructor(chainId: string, options: TrustOptions, dependencies: HeaderProofsDependencies) {
    this.#options = options
    this.#dependencies = dependencies
    const { trustingPeriodMs, maxClockDriftMs } = options
    this.#rules = { chainId, trustingPeriodMs, maxClockDriftMs }
    this.#load()
  }

  /** The newest trusted height; undefined if there is no root yet. */
  get trustedHeight(): number | undefined {
    return this.#trusted?.newest.header.height
  }

  /** Makes sure that there is a root. It is asked of this node if there is none yet. */
  async open(source: LightSource, latest: number): Promise<void> {
    if (this.#trusted !== undefined) return
    const { root: wanted } = this.#options
    const { log, askOthers } = this.#dependencies
    if (wanted === undefined && latest < 1) return
    const height = wanted?.height ?? latest
    const { header, validators } = await fetchDecided(source, height, this.#rules.chainId)
    const hash = headerHash(header)
    if (wanted !== undefined && !equalBytes(hash, wanted.hash))
      throw new ProvenLie('other header', height, `its hash is ${toHex(hash)}, not gateway.trust-hash`)
    if (wanted === undefined) {
      await askOthers(source, height, hash)
      log.warn(
        { block: height, hash: toHex(hash), node: source.node },
        'TRUST ON FIRST USE: this block is believed because a node says so, and all others are proven by it; set gateway.trust-height and gateway.trust-hash to a block that you know',
      )
    } else log.info({ block: height, hash: toHex(hash) }, 'the trusted block is there')
    this.#root = { height, hash, by: wanted === undefined ? 'first use' : 'setting' }
    // A block that is the newest at its first use has validators that are bonded now, however old it is.
    const sinceMs = wanted === undefined ? Date.now() : undefined
    this.#trusted = new TrustChain(this.#rules, { header, validators, sinceMs })
    this.#save()
  }

  /** Proves the block, and with it all before it that it is linked to. */
  async prove(source: LightSource, block: NativeBlock): Promise<void> {
    const trusted = this.#trusted
    if (trusted === undefined) throw new Error('there is no root of trust')
    const { height } = block.header
    const root = trusted.newest.header.height
    if (height < root) return this.#proveHistory(source, block)
    if (height > root) await trusted.reach(source, height, block.hash)
    else if (!equalBytes(headerHash(trusted.newest.header), block.hash))
      await this.examine(source, height, headerHash(trusted.newest.header))
    const isFirst = this.#history !== undefined
    this.#history = undefined
    if (isFirst || Date.now() - this.#savedAt >= saveEveryMs) this.#save()
  }

  /**
   * Looks into a header of a node that is not the known one at its height, and throws what it is: a header that the same
   * validators signed too, or one that they did not.
   */
  async examine(source: LightSource, height: number, known: Uint8Array): Promise<never> {
    const trusted = this.#trusted?.newest
    const block = await fetchLightBlock(source, height, trusted?.validators)
    const hash = headerHash(block.header)
    const hashes = { known: toHex(known), other: toHex(hash) }
    if (equalBytes(hash, known))
      throw new ProvenLie('other header', height, 'it came with two headers', hashes)
    assertDecided(block, this.#rules.chainId)
    const check = new CommitCheck(this.#rules.chainId, block.commit)
    if (trusted === undefined || !check.isTrustedBy(trusted.validators, oneThird))
      throw new ProvenLie('other header', height, 'validators of the chain did not sign it', hashes)
    if (this.#history !== undefined)
      throw new TrustError(
        `the stored blocks below ${this.trustedHeight} are not those of the chain: block ${height} is ${hashes.other}, not ${hashes.known}; remove data/ of this home and follow the chain again`,
      )
    throw new ProvenLie('conflicting headers', height, 'validators signed another block at its height', {
      ...hashes,
      signed: toSignedHeaderJson(block),
    })
  }

  close(): void {
    if (this.#trusted !== undefined) this.#save()
  }

  async #proveHistory(source: LightSource, block: NativeBlock): Promise<void> {
    const { height } = block.header
    const rules = { ...this.#rules, trustingPeriodMs: undefined }
    const history = this.#history
    if (history === undefined) {
      const { header, validators } = await fetchDecided(source, height, rules.chainId)
      if (!equalBytes(headerHash(header), block.hash))
        throw new ProvenLie('other header', height, 'its commit is for another header')
      this.#history = new TrustChain(rules, { header, validators })
    } else if (height > history.newest.header.height) await history.reach(source, height, block.hash)
    if (Date.now() - this.#savedAt >= saveEveryMs) this.#save()
  }

  #load(): void {
    const { path, root } = this.#options
    const { log, storedHash } = this.#dependencies
    const stored = root && storedHash(root.height)
    if (root && stored && !equalBytes(stored, root.hash))
      throw new TrustError(
        `block ${root.height} of this home is ${toHex(stored)}, and not gateway.trust-hash: it is of another chain, or the hash is wrong`,
      )
    const saved = loadTrust(path)
    if (saved === undefined || saved.chainId !== this.#rules.chainId) return
    const isRooted =
      root === undefined || (saved.root.height === root.height && equalBytes(saved.root.hash, root.hash))
    if (!isRooted) return void log.info({ block: root.height }, 'trust begins anew with another block')
    this.#root = saved.root
    this.#trusted = new TrustChain(this.#rules, saved.newest)
    if (saved.history !== undefined)
      this.#history = new TrustChain({ ...this.#rules, trustingPeriodMs: undefined }, saved.history)
  }

  #save(): void {
    const { log } = this.#dependencies
    const saved: SavedTrust = {
      chainId: this.#rules.chainId,
      root: this.#root as TrustRoot, // set with the chain of trust
      newest: this.#newest,
      history: this.#history?.newest,
    }
    try {
      saveTrust(this.#options.path, saved)
    } catch (error) {
      // It is tried again with the next headers; a restart begins with older ones.
      log.error({ reason: (error as Error).message }, 'trusted headers could not be saved')
    }
    this.#savedAt = Date.now()
  }

  get #newest(): TrustedHeader {
    return (this.#trusted as TrustChain).newest // only saved if there is one
  }
}

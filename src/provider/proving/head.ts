import { equalBytes } from '../../base/encoding/bytes.ts'
import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import { toSignedHeaderJson } from '../../comet/data/cometJson.ts'
import { headerHash } from '../../comet/data/headerHash.ts'
import { ProvenLie } from '../../comet/data/provenLie.ts'
import type { SavedTrust, TrustRoot } from '../../light/savedTrust.ts'
import { encodeTrust, parseTrust } from '../../light/savedTrust.ts'
import { type LightSource, TrustChain, withEvidence } from '../../light/trustChain.ts'
import type { ValidatorSet } from '../../light/validatorSet.ts'
import { CommitCheck } from '../../light/verifyCommit.ts'
import { assertDecided, type TrustedHeader, type TrustRules, trustLevel } from '../../light/verifyHeader.ts'
import { type Endpoint, EndpointRefusal } from '../endpoints/endpoint.ts'
import { askProven, type Endpoints, ForkError, withinTurn } from '../endpoints/endpoints.ts'
import { type LightError, unavailable } from '../lightError.ts'
import { type LightAnswer, type ProvenHeader, parseLightAnswer, provenHeader } from './answers.ts'

/** Where the newest proven header is kept between two runs, as text: a browser's storage, or a file. */
export interface LightStore {
  load(): string | null | undefined | Promise<string | null | undefined>
  save(text: string): void | Promise<void>
}

export interface HeadOptions {
  /** The block that is trusted; `first-use`: the newest of the first endpoint that answers. Undefined: what the store has. */
  readonly trust: { readonly height: number; readonly hash: Uint8Array } | 'first-use' | undefined
  readonly store: LightStore | undefined
  readonly trustingPeriodMs: number
  readonly maxClockDriftMs: number
  readonly maxAgeMs: number
  /** How long a head is the newest without that an endpoint is asked. */
  readonly refreshMs: number
  /** How long one endpoint may take to prove its newest head: all requests wait for it. */
  readonly turnMs: number
  readonly now: () => number
}

/** The newest block that is proven: its hash is the app hash of the header above it, which validators signed. */
export interface Head extends ProvenHeader {
  readonly number: number
  /** When validators signed the header above it, in milliseconds. */
  readonly signedAt: number
  readonly power: bigint
  readonly validators: number
}

/** How many hashes of signed headers are kept, to find out that another endpoint has other ones. */
const keptHashes = 4_096

/** How many trusted headers of one trusting period are kept. */
const basesInPeriod = 16

/** Follows the head of the chain: each head is proven by validators' signatures, and none is older than one before it. */
export class HeadTracker {
  readonly #options: HeadOptions
  readonly #endpoints: Endpoints
  #trusted: TrustChain | undefined
  /** Trusted headers, the oldest first, from the one with which this run began. */
  readonly #bases: TrustedHeader[] = []
  #root: TrustRoot | undefined
  #head: Head | undefined
  #refreshed: { readonly clock: number; readonly monotonic: number } | undefined
  #refreshing: Promise<void> | undefined
  #stopped: LightError | undefined
  #turn = 0
  readonly #hashes = new Map<number, Uint8Array>()
  readonly #listeners = new Set<(head: Head) => void>()

  constructor(options: HeadOptions, endpoints: Endpoints) {
    this.#options = options
    this.#endpoints = endpoints
  }

  /** Calls the listener with each new head; returns a function that ends it. */
  onHead(listener: (head: Head) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The oldest trusted header that older blocks can still be proven by, once there is one. */
  get base(): TrustedHeader | undefined {
    const { now, trustingPeriodMs } = this.#options
    const since = now() - trustingPeriodMs
    while (this.#bases.length > 1 && timeOf(this.#bases[0] as TrustedHeader) <= since) this.#bases.shift()
    return this.#bases[0]
  }

  /** Keeps what is trusted now as a base for the time when earlier ones are too old. */
  #keepBase(trusted: TrustedHeader): void {
    const last = this.#bases.at(-1)
    const { trustingPeriodMs } = this.#options
    if (last === undefined || timeOf(trusted) - timeOf(last) >= trustingPeriodMs / basesInPeriod)
      this.#bases.push(trusted)
  }

  /** The rules for headers; only once trust has begun. */
  get rules(): TrustRules {
    const chainId = this.#trusted?.newest.header.chainId
    if (chainId === undefined) throw new Error('nothing is trusted yet')
    const { trustingPeriodMs, maxClockDriftMs } = this.#options
    return { chainId, trustingPeriodMs, maxClockDriftMs }
  }

  /** Returns the newest proven block. Throws rather than return one that is too old, or older than one before. */
  async latest(): Promise<Head> {
    if (this.#stopped !== undefined) throw this.#stopped
    const { now, refreshMs, maxAgeMs, maxClockDriftMs } = this.#options
    let failure: unknown
    if (this.#sinceRefresh() >= refreshMs) {
      this.#refreshing ??= this.#refresh().finally(() => {
        this.#refreshing = undefined
      })
      try {
        await this.#refreshing
      } catch (error) {
        if (this.#stopped !== undefined || this.#head === undefined) throw error
        failure = error
      }
    }
    const head = this.#head
    const names = this.#endpoints.usable.map(({ name }) => name).join(', ')
    if (head === undefined)
      throw unavailable(
        `${names} has no block as new as ${this.#trusted?.newest.header.height}, which was proven before`,
      )
    const age = now() - head.signedAt
    if (age < -maxClockDriftMs)
      throw unavailable(
        `the clock of this machine went back: block ${head.number} was signed ${Math.round(-age / 1000)} s after its time of now`,
      )
    if (age <= maxAgeMs) return head
    if (failure !== undefined) throw failure
    throw unavailable(
      `the newest block that ${names} proved is ${head.number}, signed ${Math.round(age / 1000)} s ago: older than ${Math.round(maxAgeMs / 1000)} s (maxAgeMs)`,
    )
  }

  /** How long ago endpoints were asked: a clock can go back, and the monotonic one may stand while a machine sleeps. */
  #sinceRefresh(): number {
    if (this.#refreshed === undefined) return Number.POSITIVE_INFINITY
    const { clock, monotonic } = this.#refreshed
    return Math.max(this.#options.now() - clock, performance.now() - monotonic)
  }

  /** Writes what is trusted to the store. */
  async save(): Promise<void> {
    const { store } = this.#options
    const [newest, root] = [this.#trusted?.newest, this.#root]
    if (store === undefined || newest === undefined || root === undefined) return
    const saved: SavedTrust = { chainId: newest.header.chainId, root, newest, isStoreProven: true }
    await store.save(encodeTrust(saved))
  }

  async #refresh(): Promise<void> {
    if (this.#trusted === undefined) await this.#open()
    const before = this.#head?.number
    const asked = await this.#endpoints.first(async (endpoint) => {
      await withinTurn(endpoint, this.#options.turnMs, this.#advance(endpoint))
      return endpoint
    })
    // What another endpoint has is looked at beside: an attack on one of them shows there. A stalled endpoint is not waited for.
    const others = this.#endpoints.usable.filter((endpoint) => endpoint !== asked)
    const other = others[this.#turn++ % Math.max(1, others.length)]
    const comparing = other && this.#compare(other, this.#options.turnMs)
    if (this.#isOld()) await comparing
    this.#refreshed = { clock: this.#options.now(), monotonic: performance.now() }
    if (this.#head?.number !== before) await this.save().catch(() => undefined)
  }

  /** Whether the head is missing, or so old that another endpoint may have a newer one. */
  #isOld(): boolean {
    const { now, maxAgeMs } = this.#options
    return this.#head === undefined || now() - this.#head.signedAt > maxAgeMs / 2
  }

  async #compare(endpoint: Endpoint, turnMs: number): Promise<void> {
    try {
      await withinTurn(endpoint, turnMs, this.#crossCheck(endpoint))
      await withinTurn(endpoint, turnMs, this.#advance(endpoint))
    } catch (error) {
      if (!(error instanceof ForkError)) this.#endpoints.judgeAside(endpoint, error)
    }
  }

  async #open(): Promise<void> {
    const { trust, store } = this.#options
    const text = await store?.load()
    const saved = text ? readTrust(text) : undefined
    const isOfTrust =
      saved !== undefined &&
      (typeof trust !== 'object' ||
        (saved.root.height === trust.height && equalBytes(saved.root.hash, trust.hash)))
    if (saved !== undefined && isOfTrust) {
      this.#begin(saved.newest, saved.root)
      return
    }
    if (trust === undefined)
      throw unavailable('nothing is trusted: give the height and the hash of a block that you know')
    const wanted = trust === 'first-use' ? 'latest' : toQuantity(trust.height)
    const found = await this.#endpoints.first((endpoint) =>
      askProven(endpoint, 'perihelion_lightBlock', [[wanted]], async (answer) => {
        const { signed, validators } = parseLightAnswer(answer)
        const { height, chainId } = signed.header
        if (validators === undefined)
          throw new ProvenLie('other validators', height, 'it came without validators')
        const block = { ...signed, validators }
        if (trust !== 'first-use' && !equalBytes(headerHash(signed.header), trust.hash))
          throw new ProvenLie(
            'other header',
            height,
            `block ${trust.height} has the hash ${toHex(headerHash(signed.header))} there, and ${toHex(trust.hash)} is trusted`,
            toSignedHeaderJson(signed),
          )
        await withEvidence(block, () => assertDecided(block, chainId))
        return block
      }),
    )
    const { header, validators } = found
    const by = trust === 'first-use' ? 'first use' : 'setting'
    this.#begin({ header, validators }, { height: header.height, hash: headerHash(header), by })
  }

  #begin(base: TrustedHeader, root: TrustRoot): void {
    const { trustingPeriodMs, maxClockDriftMs } = this.#options
    const { chainId } = base.header
    this.#bases.push(base)
    this.#root = root
    this.#trusted = new TrustChain({ chainId, trustingPeriodMs, maxClockDriftMs }, base)
  }

  /** Asks an endpoint for its newest signed header, and takes it if it is proven and newer. */
  async #advance(endpoint: Endpoint): Promise<void> {
    const trusted = this.#trusted as TrustChain // it was opened
    const { validators } = trusted.newest
    await askProven(
      endpoint,
      'perihelion_lightBlock',
      [['latest'], toHex(validators.hash)],
      async (answer) => {
        const found = parseLightAnswer(answer)
        const { header } = found.signed
        const { height } = header
        const hash = headerHash(header)
        const newest = trusted.newest.header
        const known = height === newest.height ? headerHash(newest) : this.#hashes.get(height)
        if (height > newest.height) await trusted.reach(sourceOf(endpoint, validators, found), height, hash)
        else if (known !== undefined && !equalBytes(known, hash)) await this.#examine(endpoint, found, known)
        if (height < (this.#head?.number ?? 0) + 1) return
        // The header above the newest may be that of the trusted one itself, at a start.
        if (!equalBytes(headerHash(trusted.newest.header), hash)) return
        this.#take(found)
      },
    )
  }

  /** Asks an endpoint for the header that is the newest here: on a fork it has another one, wherever its own newest is. */
  async #crossCheck(endpoint: Endpoint): Promise<void> {
    const { header, validators } = (this.#trusted as TrustChain).newest
    const { height } = header
    const known = headerHash(header)
    try {
      const asked = [[toQuantity(height)], toHex(validators.hash)]
      await askProven(endpoint, 'perihelion_lightBlock', asked, async (answer) => {
        const found = parseLightAnswer(answer)
        if (found.signed.header.height !== height)
          throw new ProvenLie('other header', height, `it came for block ${height}`)
        if (!equalBytes(headerHash(found.signed.header), known)) await this.#examine(endpoint, found, known)
      })
    } catch (error) {
      // It may not have the block yet.
      if (!(error instanceof EndpointRefusal)) throw error
    }
  }

  #take({ signed: { header }, headerRlp }: LightAnswer): void {
    const proven = provenHeader(headerRlp, header.appHash, `the header of block ${header.height - 1}`)
    const number = Number(proven.header.number)
    if (number !== header.height - 1)
      throw new ProvenLie('other header', header.height, `it signs block ${number}`)
    this.#hashes.set(header.height, headerHash(header))
    if (this.#hashes.size > keptHashes) this.#hashes.delete(this.#hashes.keys().next().value as number)
    if (this.#head?.number === number) return
    const { newest } = this.#trusted as TrustChain
    const { validators } = newest
    this.#keepBase(newest)
    const head: Head = {
      ...proven,
      number,
      signedAt: timeOf({ header }),
      power: validators.totalPower,
      validators: validators.members.length,
    }
    this.#head = head
    for (const listener of this.#listeners) listener(head)
  }

  /** Looks into a header that is not the known one at its height: it is a fork, or a lie. */
  async #examine(endpoint: Endpoint, { signed, validators }: LightAnswer, known: Uint8Array): Promise<void> {
    const { height, chainId } = signed.header
    const trusted = (this.#trusted as TrustChain).newest
    const block = { ...signed, validators: validators ?? trusted.validators }
    const evidence = { known: toHex(known), signed: toSignedHeaderJson(signed) }
    // A stranger's commit has as many signatures as the stranger likes: those of trusted validators are looked at first.
    const isSigned = await new CommitCheck(this.rules.chainId, signed.commit).isTrustedBy(
      trusted.validators,
      trustLevel,
    )
    if (!isSigned)
      throw new ProvenLie('other header', height, 'validators of the chain did not sign it', evidence)
    await withEvidence(block, () => assertDecided(block, chainId))
    this.#stopped = new ForkError(
      `validators signed two blocks at height ${height}: ${toHex(known)} and, by ${endpoint.name}, ${toHex(headerHash(signed.header))}. Nothing of this chain is trusted any more; notify its operators`,
      evidence,
    )
    throw this.#stopped
  }
}

/** The time of a header, in milliseconds. */
const timeOf = ({ header: { time } }: Pick<TrustedHeader, 'header'>): number =>
  Number(time.seconds) * 1_000 + Math.floor(time.nanos / 1e6)

const readTrust = (text: string): SavedTrust => {
  try {
    return parseTrust(text)
  } catch (error) {
    throw unavailable(`what the store has is damaged: ${(error as Error).message}`)
  }
}

/** An endpoint as the light client asks it. What came with its newest header is not asked again. */
export const sourceOf = (endpoint: Endpoint, known: ValidatorSet, first?: LightAnswer): LightSource => {
  const answers = new Map<number, LightAnswer>()
  if (first !== undefined) answers.set(first.signed.header.height, first)
  const answerAt = async (height: number, knownHash: Uint8Array | undefined): Promise<LightAnswer> => {
    const params = [[toQuantity(height)], ...(knownHash === undefined ? [] : [toHex(knownHash)])]
    const answer = await askProven(endpoint, 'perihelion_lightBlock', params, parseLightAnswer)
    answers.set(height, answer)
    return answer
  }
  return {
    node: endpoint.name,
    signedHeader: async (height) => (answers.get(height) ?? (await answerAt(height, known.hash))).signed,
    validators: async (height) => {
      const { validators } = answers.get(height) ?? (await answerAt(height, undefined))
      const found = validators ?? (await answerAt(height, undefined)).validators
      if (found === undefined) throw new ProvenLie('other validators', height, 'it came without validators')
      return found.source
    },
  }
}

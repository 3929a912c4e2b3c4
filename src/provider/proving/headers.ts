import { LRUCache } from 'lru-cache'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import { decodeHeader } from '../../chain/block/header.ts'
import { headerHash as nativeHash } from '../../comet/data/headerHash.ts'
import { UpstreamError } from '../../comet/data/upstreamError.ts'
import { TrustChain } from '../../light/trustChain.ts'
import { type Endpoint, EndpointRefusal } from '../endpoints/endpoint.ts'
import { askProven } from '../endpoints/endpoints.ts'
import { headerNotFound, limitExceeded } from '../lightError.ts'
import { type ProvenHeader, parseDataList, parseLightAnswer, parseMembers, provenHeader } from './answers.ts'
import { type Head, type HeadTracker, sourceOf } from './head.ts'

const keptHeaders = 8_192
/** How many headers are requested at once; the endpoint gives 1024 at most. */
const perAnswer = 512
/** Up to this distance headers are linked; above it a header that validators signed is requested. */
const linkedDistance = 64
/** How far below what is trusted headers are linked: there is no other proof of them. */
const maxBelowTrust = 8_192

/** Headers that are on their way. */
interface Linking {
  readonly endpoint: Endpoint
  readonly from: number
  readonly to: number
  readonly done: Promise<ProvenHeader>
}

/** Headers of Ethereum below the head, each proven by its hash in the one above it, or by validators' signatures. */
export class ProvenHeaders {
  readonly #tracker: HeadTracker
  readonly #byNumber = new LRUCache<number, ProvenHeader>({ max: keptHeaders })
  readonly #linking = new Set<Linking>()

  constructor(tracker: HeadTracker) {
    this.#tracker = tracker
    tracker.onHead((head) => this.#byNumber.set(head.number, head))
  }

  /** Returns the header of a number, up to that of the head. */
  async at(endpoint: Endpoint, head: Head, number: number): Promise<ProvenHeader> {
    if (number > head.number) throw headerNotFound()
    if (number === head.number) return head
    const known = this.#byNumber.get(number)
    if (known !== undefined) return known
    const above = this.#nearestAbove(head, number)
    if (above !== undefined) return this.#linkOnce(endpoint, above, number)
    const lowest = this.#tracker.base?.header.height ?? 0
    // The trusted header signs the block below it.
    if (number >= lowest - 1) return this.#bySignatures(endpoint, number)
    if (lowest - number > maxBelowTrust)
      throw limitExceeded(
        `block ${number} is more than ${maxBelowTrust} blocks below the trusted block ${lowest}: trust an older one`,
      )
    return this.#linkDown(endpoint, await this.#bySignatures(endpoint, lowest - 1), number)
  }

  /** Returns the headers of a range, which is proven from its end downwards. */
  async range(endpoint: Endpoint, head: Head, from: number, to: number): Promise<readonly ProvenHeader[]> {
    const last = await this.at(endpoint, head, to)
    if (from < to) await this.#linkDown(endpoint, last, from)
    const found: ProvenHeader[] = []
    for (let number = from; number < to; number++) found.push(await this.at(endpoint, head, number))
    return [...found, last]
  }

  /** Returns the header of a hash, if the chain has it; undefined if the endpoint has none of it. */
  async byHash(endpoint: Endpoint, head: Head, hash: Uint8Array): Promise<ProvenHeader | undefined> {
    if (equalBytes(head.hash, hash)) return head
    for (const known of this.#byNumber.values()) if (equalBytes(known.hash, hash)) return known
    const rlp = await this.#encodingOf(endpoint, hash)
    if (rlp === undefined) return undefined
    const number = Number(decodeHeader(rlp).number)
    if (number > head.number) return undefined
    const proven = await this.at(endpoint, head, number)
    return equalBytes(proven.hash, hash) ? proven : undefined
  }

  async #encodingOf(endpoint: Endpoint, hash: Uint8Array): Promise<Uint8Array | undefined> {
    const params = [{ headers: 1 }, toHex(hash)]
    try {
      return await askProven(endpoint, 'perihelion_proofs', params, (answer) => {
        const [rlp] = readHeaders(answer)
        if (rlp !== undefined && !equalBytes(keccak256(rlp), hash))
          throw new UpstreamError(`it gives another header for the hash ${toHex(hash)}`)
        return rlp
      })
    } catch (error) {
      if (error instanceof EndpointRefusal && /header not found|unknown block/.test(error.said.message))
        return undefined
      throw error
    }
  }

  /** Returns the header of a number that is proven already. */
  known(head: Head, number: number): ProvenHeader | undefined {
    return number === head.number ? head : this.#byNumber.get(number)
  }

  #nearestAbove(head: Head, number: number): ProvenHeader | undefined {
    for (let at = number + 1; at <= Math.min(number + linkedDistance, head.number); at++) {
      const found = this.known(head, at)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Proves a header by those above it. If another request has them in flight, it waits for them. */
  async #linkOnce(endpoint: Endpoint, above: ProvenHeader, number: number): Promise<ProvenHeader> {
    const from = Number(above.header.number)
    for (const other of this.#linking)
      if (other.endpoint === endpoint && other.from === from && other.to <= number) {
        await other.done
        return this.#byNumber.get(number) ?? this.#linkDown(endpoint, above, number)
      }
    const linking = { endpoint, from, to: number, done: this.#linkDown(endpoint, above, number) }
    this.#linking.add(linking)
    try {
      return await linking.done
    } finally {
      this.#linking.delete(linking)
    }
  }

  /** Proves the headers below one that is proven down to a number, and returns that of the number. */
  async #linkDown(endpoint: Endpoint, from: ProvenHeader, number: number): Promise<ProvenHeader> {
    let lowest = from
    for (let at = Number(from.header.number); at > number; at = Number(lowest.header.number)) {
      const known = this.#byNumber.get(at - 1)
      if (known !== undefined) {
        lowest = known
        continue
      }
      const count = Math.min(perAnswer, at - number)
      const above = lowest
      lowest = await askProven(
        endpoint,
        'perihelion_proofs',
        [{ headers: count }, toQuantity(at - 1)],
        (answer) => {
          const headers = readHeaders(answer)
          if (headers.length !== count)
            throw new UpstreamError(`asked for ${count} headers, got ${headers.length}`)
          return headers.reduceRight((upper, rlp) => this.#takeParent(upper, rlp), above)
        },
      )
    }
    return lowest
  }

  /** Takes headers that an endpoint gave unasked, if they lead down from one that is proven. */
  takeBelow(above: ProvenHeader, headers: readonly Uint8Array[]): void {
    headers.reduceRight((upper, rlp) => this.#takeParent(upper, rlp), above)
  }

  #takeParent({ header }: ProvenHeader, rlp: Uint8Array): ProvenHeader {
    const parent = provenHeader(rlp, header.parentHash, `the header below block ${header.number}`)
    this.#byNumber.set(Number(parent.header.number), parent)
    return parent
  }

  /** Proves the header of a number by the one above it, which validators signed. */
  async #bySignatures(endpoint: Endpoint, number: number): Promise<ProvenHeader> {
    const { base, rules } = this.#tracker
    const height = number + 1
    if (base === undefined) throw headerNotFound()
    const known = base.validators
    return askProven(
      endpoint,
      'perihelion_lightBlock',
      [[toQuantity(height)], toHex(known.hash)],
      async (answer) => {
        const found = parseLightAnswer(answer)
        const hash = nativeHash(found.signed.header)
        const isBase = height === base.header.height
        if (isBase && !equalBytes(nativeHash(base.header), hash))
          throw new UpstreamError(`block ${height} is not the trusted one`)
        if (!isBase) await new TrustChain(rules, base).reach(sourceOf(endpoint, known, found), height, hash)
        const proven = provenHeader(
          found.headerRlp,
          found.signed.header.appHash,
          `the header of block ${number}`,
        )
        if (Number(proven.header.number) !== number)
          throw new UpstreamError(`block ${height} signs another number`)
        this.#byNumber.set(number, proven)
        return proven
      },
    )
  }
}

const readHeaders = (answer: unknown): readonly Uint8Array[] =>
  parseDataList(parseMembers(answer, 'proofs').headers, 'headers')

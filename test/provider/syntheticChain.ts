import { keccak256 } from '../../src/base/crypto/crypto.ts'
import { toHex } from '../../src/base/encoding/hex.ts'
import { encodeHeader, type Header } from '../../src/chain/block/header.ts'
import { emptyTrieRoot } from '../../src/chain/block/trieRoot.ts'
import { toSignedHeaderJson, toValidatorJson } from '../../src/comet/data/cometJson.ts'
import type { SignedHeader } from '../../src/comet/data/commit.ts'
import { headerHash } from '../../src/comet/data/headerHash.ts'
import type { NativeHeader } from '../../src/comet/data/nativeBlock.ts'
import type { ValidatorSet } from '../../src/light/validatorSet.ts'
import { commitOf, type Keys, signerOf, toKeys } from './signing.ts'

/** A chain of headers with keys of its own, to have validators do what real ones would not. */

const chainId = 'synthetic-1'
const bytes = (length: number, value = 0): Uint8Array => new Uint8Array(length).fill(value)

/** A response of `perihelion_lightBlock`. */
export const lightAnswer = (signed: SignedHeader, set: ValidatorSet, ethereum: Uint8Array): unknown => [
  {
    signedHeader: toSignedHeaderJson(signed),
    validators: set.source.map(toValidatorJson),
    header: toHex(ethereum),
  },
]

/** How many keys change from one set to the next; a set stays for `every` heights. */
export interface Rotation {
  readonly every: number
  readonly changes: number
}

export interface SyntheticOptions {
  readonly heights: number
  /** The time of the first header, in seconds. */
  readonly from: number
  /** Seconds between two headers. */
  readonly interval: number
  readonly rotation: Rotation
  /** Four if it is missing. */
  readonly validators?: number
  /** What Ethereum headers have; nothing by default. */
  readonly contents?: Partial<Header>
}

export class SyntheticChain {
  readonly #options: SyntheticOptions
  readonly #keys: Keys[] = []
  #mark = 0

  constructor(options: SyntheticOptions) {
    this.#options = options
    const { heights, rotation, validators = 4 } = options
    let members = Array.from({ length: validators }, signerOf)
    for (let set = 0; set <= Math.ceil(heights / rotation.every) + 1; set++) {
      this.#keys.push(toKeys(members))
      members = [...members.slice(rotation.changes), ...Array.from({ length: rotation.changes }, signerOf)]
    }
  }

  /** Has the blocks from now on be other ones, signed by the same validators. */
  fork(): void {
    this.#mark++
  }

  hashAt(height: number): string {
    return toHex(headerHash(this.headerAt(height)))
  }

  /** What an endpoint answers whose newest height this is. */
  fetchAt =
    (latest: () => number) =>
    async (_: string, { body }: RequestInit): Promise<Response> => {
      const { method, params } = JSON.parse(String(body))
      const answer = method === 'perihelion_lightBlock' ? this.#answer(params, latest()) : undefined
      const outcome =
        answer === undefined ? { error: { code: -32601, message: 'no method' } } : { result: answer }
      return new Response(JSON.stringify({ jsonrpc: '2.0', id: 1, ...outcome }))
    }

  /** What an endpoint answers that has other blocks, signed by the same validators. */
  fetchForkAt =
    (latest: () => number) =>
    (url: string, init: RequestInit): Promise<Response> => {
      this.#mark++
      try {
        return this.fetchAt(latest)(url, init)
      } finally {
        this.#mark--
      }
    }

  #answer([[wanted]]: readonly [readonly [string]], latest: number): unknown {
    const height = wanted === 'latest' ? latest : Number(wanted)
    const header = this.headerAt(height)
    const { set, signers } = this.keysAt(height)
    return lightAnswer({ header, commit: commitOf(header, signers) }, set, this.ethereum(height - 1))
  }

  keysAt(height: number): Keys {
    return this.#keys[Math.floor(height / this.#options.rotation.every)] as Keys // as many as heights need
  }

  #timeAt(height: number): bigint {
    return BigInt(this.#options.from + height * this.#options.interval)
  }

  /** The encoding of an Ethereum header. */
  ethereum(number: number): Uint8Array {
    const header: Header = {
      parentHash: bytes(32, this.#mark),
      ommersHash: bytes(32),
      beneficiary: bytes(20),
      stateRoot: emptyTrieRoot,
      transactionsRoot: emptyTrieRoot,
      receiptsRoot: emptyTrieRoot,
      logsBloom: bytes(256),
      difficulty: 0n,
      number: BigInt(number),
      gasLimit: 30_000_000n,
      gasUsed: 0n,
      timestamp: this.#timeAt(number),
      extraData: bytes(0),
      mixHash: bytes(32),
      nonce: bytes(8),
      baseFeePerGas: 7n,
      ...this.#options.contents,
    }
    return encodeHeader(header)
  }

  headerAt(height: number): NativeHeader {
    return {
      versionBlock: 11n,
      versionApp: 1n,
      chainId,
      height,
      time: { seconds: this.#timeAt(height), nanos: 0 },
      lastBlockId: { hash: bytes(32, 1), partsTotal: 1, partsHash: bytes(32, 2) },
      lastCommitHash: bytes(32),
      dataHash: bytes(32),
      validatorsHash: this.keysAt(height).set.hash,
      nextValidatorsHash: this.keysAt(height + 1).set.hash,
      consensusHash: bytes(32),
      appHash: keccak256(this.ethereum(height - 1)),
      lastResultsHash: bytes(32),
      evidenceHash: bytes(32),
      proposerAddress: bytes(20, 3),
    }
  }
}

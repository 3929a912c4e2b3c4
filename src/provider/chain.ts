import type { Receipt } from '../chain/block/receipt.ts'
import type { ChainConfig } from '../chain/config/chainConfig.ts'
import type { Endpoint } from './endpoints/endpoint.ts'
import type { Endpoints } from './endpoints/endpoints.ts'
import { headerNotFound, unsupported } from './lightError.ts'
import type { BlockParam } from './methods/params.ts'
import type { ProvenHeader } from './proving/answers.ts'
import { type ProvenBlock, ProvenBlocks } from './proving/blocks.ts'
import type { Head, HeadTracker } from './proving/head.ts'
import { ProvenHeaders } from './proving/headers.ts'
import { ProvenRules } from './proving/rules.ts'
import { ProvenStates } from './proving/states.ts'

/** All that is proven of a chain, by whatever endpoint. */
export class ProvenChain {
  readonly endpoints: Endpoints
  readonly tracker: HeadTracker
  readonly headers: ProvenHeaders
  readonly states = new ProvenStates()
  readonly rules = new ProvenRules(this.states)
  readonly blocks = new ProvenBlocks()

  constructor(endpoints: Endpoints, tracker: HeadTracker) {
    this.endpoints = endpoints
    this.tracker = tracker
    this.headers = new ProvenHeaders(tracker)
  }

  /** Answers a request on the newest head, by one endpoint after the other until one proves it. */
  async ask<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    const head = await this.tracker.latest()
    return this.endpoints.first((endpoint) => work(this.session(endpoint, head)))
  }

  session(endpoint: Endpoint, head: Head): Session {
    return new Session(this, endpoint, head)
  }
}

/** One request to one endpoint: all of it is on the same head. */
export class Session {
  readonly chain: ProvenChain
  readonly endpoint: Endpoint
  readonly head: Head

  constructor(chain: ProvenChain, endpoint: Endpoint, head: Head) {
    this.chain = chain
    this.endpoint = endpoint
    this.head = head
  }

  /** Returns the header of a block; undefined if the chain has none. */
  async find(block: BlockParam): Promise<ProvenHeader | undefined> {
    const { headers } = this.chain
    if ('hash' in block) return this.#byHash(block.hash)
    const { number } = block
    if (number === 'pending') throw unsupported('nothing proves the pending block')
    if (number === 'latest') return this.head
    return number > this.head.number ? undefined : headers.at(this.endpoint, this.head, number)
  }

  /** All endpoints are asked before there is none: that alone nothing proves. */
  async #byHash(hash: Uint8Array): Promise<ProvenHeader | undefined> {
    const { headers, endpoints } = this.chain
    return endpoints.find(this.endpoint, (endpoint) => headers.byHash(endpoint, this.head, hash))
  }

  async header(block: BlockParam): Promise<ProvenHeader> {
    const found = await this.find(block)
    if (found === undefined) throw headerNotFound()
    return found
  }

  config(): Promise<ChainConfig> {
    return this.chain.rules.at(this.endpoint, this.head)
  }

  block(header: ProvenHeader): Promise<ProvenBlock> {
    return this.chain.blocks.block(this.endpoint, header)
  }

  receipts(header: ProvenHeader): Promise<readonly Receipt[]> {
    return this.chain.blocks.receipts(this.endpoint, header)
  }
}

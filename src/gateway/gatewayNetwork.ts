import { toHex } from '../base/encoding/hex.ts'
import { pruned } from '../chain/chainError.ts'
import type {
  Network,
  NetworkValidator,
  NodeIdentity,
  Peer,
  Proposal,
  SyncProgress,
} from '../chain/port/network.ts'
import { NativeQueryError } from '../comet/data/nativeQuery.ts'
import type { NetInfo, NodePeer, NodeStatus, NodeValidator } from '../comet/data/replies.ts'
import { toChainError } from '../families/queries/chainErrors.ts'

/** Queries about the upstreams themselves: status, peers and validators. */
export interface NodeClient {
  status(signal: AbortSignal): Promise<NodeStatus>
  netInfo(signal: AbortSignal): Promise<NetInfo>
  validators(height: number, signal: AbortSignal): Promise<readonly NodeValidator[]>
}

export interface GatewayNetworkDependencies {
  readonly nodes: NodeClient
  /** Returns the sync progress of the local store; undefined if it is synced. */
  readonly progress: () => SyncProgress | undefined
  readonly headNumber: () => number
  /** Returns the proposer in the header of a stored block. */
  readonly proposerOf: (number: number) => Uint8Array | undefined
  /**
   * Returns the operator address of the validator with a consensus address at a height; zero if the chain does not know
   * it.
   */
  readonly operatorOf: (
    consensusAddress: Uint8Array,
    height: number,
    signal: AbortSignal,
  ) => Promise<Uint8Array>
  readonly timeoutMs: number
}

/** The network of the chain as the upstreams report it. */
export class GatewayNetwork implements Network {
  readonly isListening = true
  readonly #dependencies: GatewayNetworkDependencies
  /** The head when the upstream was first seen to be syncing. */
  #syncStart: number | undefined

  constructor(dependencies: GatewayNetworkDependencies) {
    this.#dependencies = dependencies
  }

  async self(): Promise<NodeIdentity> {
    return toNodeIdentity(await this.#ask((nodes, signal) => nodes.status(signal)))
  }

  async peerCount(): Promise<number> {
    return (await this.#ask((nodes, signal) => nodes.netInfo(signal))).peers.length
  }

  async peers(): Promise<readonly Peer[]> {
    const { peers } = await this.#ask((nodes, signal) => nodes.netInfo(signal))
    return peers.map((peer) => ({ ...toNodeIdentity(peer, peer.remoteIp), isInbound: !peer.isOutbound }))
  }

  /** Returns the operator addresses of the validators without duplicates, because validators may share one. */
  async validators(number: number): Promise<readonly Uint8Array[]> {
    const set = await this.validatorSet(number)
    return [...new Map(set.map(({ reward }) => [toHex(reward), reward])).values()]
  }

  /** Returns the validator set in CometBFT's order. CometBFT's first block has height 1. */
  async validatorSet(
    number: number,
  ): Promise<readonly (NetworkValidator & { readonly reward: Uint8Array })[]> {
    const { headNumber, operatorOf } = this.#dependencies
    const height = Math.max(1, number)
    return this.#ask(async (nodes, signal) => {
      const validators = await nodes.validators(height, signal)
      return Promise.all(
        validators.map(async ({ address, key, power }) => ({
          publicKey: Buffer.from(key, 'base64'),
          engineAddress: address,
          power,
          reward: await operatorOf(address, Math.min(height, headNumber()), signal),
        })),
      )
    }, height)
  }

  proposal(number: number): Proposal | undefined {
    const proposer = number === 0 ? undefined : this.#dependencies.proposerOf(number)
    return proposer && { proposer, isInTurn: true }
  }

  /** Returns the progress; a chain that does not answer counts as one that is not synced with. */
  async syncing(): Promise<SyncProgress | undefined> {
    const { nodes, progress, headNumber } = this.#dependencies
    const behind = progress()
    if (behind !== undefined) return behind
    const currentBlock = headNumber()
    const status = await nodes.status(this.#signal()).catch(() => undefined)
    if (status !== undefined && !status.isCatchingUp) {
      this.#syncStart = undefined
      return undefined
    }
    this.#syncStart ??= currentBlock
    // A node that is syncing does not report the height of the others.
    return {
      startingBlock: this.#syncStart,
      currentBlock,
      highestBlock: Math.max(currentBlock, status?.latestHeight ?? 0),
      isChainAway: status === undefined,
    }
  }

  async coinbase(): Promise<Uint8Array> {
    const { headNumber, operatorOf } = this.#dependencies
    return this.#ask(async (nodes, signal) => {
      const { validatorAddress } = await nodes.status(signal)
      if (validatorAddress.length === 0) return new Uint8Array(20)
      return operatorOf(validatorAddress, headNumber(), signal)
    })
  }

  /** Asks the upstreams. Their failures are thrown as `ChainError`. */
  async #ask<T>(work: (nodes: NodeClient, signal: AbortSignal) => Promise<T>, height?: number): Promise<T> {
    try {
      return await work(this.#dependencies.nodes, this.#signal())
    } catch (error) {
      if (error instanceof NativeQueryError && error.kind === 'pruned')
        throw pruned(`no node of the chain keeps what block ${height ?? 'latest'} needs for this`)
      throw toChainError(error, height ?? 0, 0)
    }
  }

  #signal(): AbortSignal {
    return AbortSignal.timeout(this.#dependencies.timeoutMs)
  }
}

/** Returns the identity of a node. Nodes report the port that they listen on; the host is where they were seen. */
const toNodeIdentity = (
  { id, moniker, listenAddress, version }: Pick<NodePeer, 'id' | 'moniker' | 'listenAddress' | 'version'>,
  host?: string,
): NodeIdentity => {
  const address = listenAddress.replace(/^tcp:\/\//, '')
  const port = address.slice(address.lastIndexOf(':') + 1)
  return { id, name: moniker, address: host === undefined ? address : `${host}:${port}`, version }
}

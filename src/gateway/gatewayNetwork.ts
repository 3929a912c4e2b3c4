import { toHex } from '../base/hex.ts'
import type {
  Network,
  NetworkValidator,
  NodeIdentity,
  Peer,
  Proposal,
  SyncProgress,
} from '../chain/port/network.ts'
import type { NetInfo, NodePeer, NodeStatus, NodeValidator } from './client/nodeReplies.ts'

/** What the nodes behind the gateway tell of themselves. */
export interface NodeSource {
  status(signal: AbortSignal): Promise<NodeStatus>
  netInfo(signal: AbortSignal): Promise<NetInfo>
  validators(height: number, signal: AbortSignal): Promise<readonly NodeValidator[]>
}

export interface GatewayNetworkDependencies {
  readonly nodes: NodeSource
  /** How far the local store is behind the chain; undefined where it is not. */
  readonly progress: () => SyncProgress | undefined
  readonly headNumber: () => number
  /** Who proposed a stored block, as its header says. */
  readonly proposerOf: (number: number) => Uint8Array | undefined
  /** The address of who runs the validator with a consensus address, at a height; zero where the chain does not know. */
  readonly operatorOf: (
    consensusAddress: Uint8Array,
    height: number,
    signal: AbortSignal,
  ) => Promise<Uint8Array>
  readonly timeoutMs: number
}

/** The network of the chain, as the node behind the gateway sees it. */
export class GatewayNetwork implements Network {
  readonly isListening = true
  readonly #dependencies: GatewayNetworkDependencies
  /** Where the chain stood when its node was first seen behind. */
  #startedBehind: number | undefined

  constructor(dependencies: GatewayNetworkDependencies) {
    this.#dependencies = dependencies
  }

  async self(): Promise<NodeIdentity> {
    return identityOf(await this.#dependencies.nodes.status(this.#signal()))
  }

  async peerCount(): Promise<number> {
    return (await this.#dependencies.nodes.netInfo(this.#signal())).peers.length
  }

  async peers(): Promise<readonly Peer[]> {
    const { peers } = await this.#dependencies.nodes.netInfo(this.#signal())
    return peers.map((peer) => ({ ...identityOf(peer, peer.remoteIp), isInbound: !peer.isOutbound }))
  }

  /** Validators may share an address. */
  async validators(number: number): Promise<readonly Uint8Array[]> {
    const set = await this.validatorSet(number)
    return [...new Map(set.map(({ reward }) => [toHex(reward), reward])).values()]
  }

  /** In the engine's order. Its first block is that of height 1. */
  async validatorSet(
    number: number,
  ): Promise<readonly (NetworkValidator & { readonly reward: Uint8Array })[]> {
    const { nodes, headNumber, operatorOf } = this.#dependencies
    const signal = this.#signal()
    const height = Math.max(1, number)
    const validators = await nodes.validators(height, signal)
    return Promise.all(
      validators.map(async ({ address, key, power }) => ({
        publicKey: Buffer.from(key, 'base64'),
        engineAddress: address,
        power,
        reward: await operatorOf(address, Math.min(height, headNumber()), signal),
      })),
    )
  }

  proposal(number: number): Proposal | undefined {
    const proposer = number === 0 ? undefined : this.#dependencies.proposerOf(number)
    return proposer && { proposer, isInTurn: true }
  }

  async syncing(): Promise<SyncProgress | undefined> {
    const { nodes, progress, headNumber } = this.#dependencies
    const behind = progress()
    if (behind !== undefined) return behind
    const { isCatchingUp, latestHeight } = await nodes.status(this.#signal())
    if (!isCatchingUp) {
      this.#startedBehind = undefined
      return undefined
    }
    const currentBlock = headNumber()
    this.#startedBehind ??= currentBlock
    // How far the others are, a node that catches up does not tell.
    return {
      startingBlock: this.#startedBehind,
      currentBlock,
      highestBlock: Math.max(currentBlock, latestHeight),
    }
  }

  async coinbase(): Promise<Uint8Array> {
    const { nodes, headNumber, operatorOf } = this.#dependencies
    const signal = this.#signal()
    const { validatorAddress } = await nodes.status(signal)
    if (validatorAddress.length === 0) return new Uint8Array(20)
    return operatorOf(validatorAddress, headNumber(), signal)
  }

  #signal(): AbortSignal {
    return AbortSignal.timeout(this.#dependencies.timeoutMs)
  }
}

/** Nodes say which port they listen on; where peers are is seen from here. */
const identityOf = (
  { id, moniker, listenAddress, version }: Pick<NodePeer, 'id' | 'moniker' | 'listenAddress' | 'version'>,
  host?: string,
): NodeIdentity => {
  const address = listenAddress.replace(/^tcp:\/\//, '')
  const port = address.slice(address.lastIndexOf(':') + 1)
  return { id, name: moniker, address: host === undefined ? address : `${host}:${port}`, version }
}

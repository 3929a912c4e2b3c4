import type { Network, NodeIdentity, Peer, Proposal, SyncProgress } from '../chain/port.ts'
import type { EngineRpc, EngineStatus } from '../engine/cometbft/rpcClient.ts'
import type { BlockReader } from '../store/blockReader.ts'
import type { ThreadHead } from './appThread.ts'
import type { BlockProducer } from './producer.ts'
import { proposalByHeader, validatorsByHeader } from './proposers.ts'

export interface CometNetworkDependencies {
  readonly rpc: EngineRpc
  readonly blocks: BlockReader
  readonly producer: BlockProducer
  readonly head: () => ThreadHead
}

const toIdentity = (info: EngineStatus['node_info'], host?: string): NodeIdentity => ({
  id: info.id,
  name: info.moniker,
  address: host === undefined ? info.listen_addr.replace(/^tcp:\/\//, '') : withHost(info.listen_addr, host),
  version: info.version,
})

/** Peers say which port they listen on; where they are is seen from here. */
const withHost = (listenAddress: string, host: string): string =>
  `${host}:${listenAddress.slice(listenAddress.lastIndexOf(':') + 1)}`

/** Who is out there, asked of CometBFT. */
export class CometNetwork implements Network {
  readonly isListening = true
  readonly #dependencies: CometNetworkDependencies
  /** Where this node stood when it was first seen behind. */
  #startedBehind: number | undefined

  constructor(dependencies: CometNetworkDependencies) {
    this.#dependencies = dependencies
  }

  async self(): Promise<NodeIdentity> {
    return toIdentity((await this.#dependencies.rpc.status()).node_info)
  }

  async peerCount(): Promise<number> {
    return (await this.#dependencies.rpc.peers()).length
  }

  async peers(): Promise<readonly Peer[]> {
    const peers = await this.#dependencies.rpc.peers()
    return peers.map((peer) => ({
      ...toIdentity(peer.node_info, peer.remote_ip),
      isInbound: !peer.is_outbound,
    }))
  }

  validators(number: number): readonly Uint8Array[] {
    return validatorsByHeader(this.#dependencies.blocks, number)
  }

  proposal(number: number): Proposal | undefined {
    return proposalByHeader(this.#dependencies.blocks, number)
  }

  async syncing(): Promise<SyncProgress | undefined> {
    const { rpc, head } = this.#dependencies
    const { sync_info: sync } = await rpc.status()
    const currentBlock = Number(head().header.number)
    if (!sync.catching_up) {
      this.#startedBehind = undefined
      return undefined
    }
    this.#startedBehind ??= currentBlock
    return {
      startingBlock: this.#startedBehind,
      currentBlock,
      highestBlock: Math.max(currentBlock, Number(sync.latest_block_height)),
    }
  }

  coinbase(): Uint8Array {
    return this.#dependencies.producer.coinbase
  }
}

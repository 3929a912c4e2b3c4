import { LRUCache } from 'lru-cache'
import type { AppHead } from '../../app/appHead.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import type {
  Network,
  NetworkValidator,
  NodeIdentity,
  Peer,
  Proposal,
  SyncProgress,
} from '../../chain/port/network.ts'
import type { SignedHeader } from '../../comet/data/commit.ts'
import type { NodeStatus } from '../../comet/data/replies.ts'
import type { BlockStoreReader } from '../../store/blockStoreReader.ts'
import { keyAddress, rewardAddresses, toNetworkValidators } from '../blocks/proposers.ts'
import type { ValidatorSetReader } from '../validatorSetReader.ts'
import type { ValidatorReward } from './reward.ts'
import type { EngineRpcClient } from './rpcClient.ts'
import type { PeerHeights } from './watch/peerHeights.ts'

export interface CometNetworkDependencies {
  readonly rpc: EngineRpcClient
  readonly blocks: BlockStoreReader
  readonly validatorSets: ValidatorSetReader
  readonly reward: Pick<ValidatorReward, 'current'>
  readonly head: () => AppHead
  readonly peerHeights: Pick<PeerHeights, 'height'>
  /** Returns the time of the clock in milliseconds. */
  readonly clock: () => number
}

/** How many blocks a node may be behind its peers while it takes part in consensus: messages of the newest are under way. */
const usualLag = 5

/**
 * How old the head of a node that takes part in consensus may be, in seconds, before it believes peers that claim to be
 * ahead. A third of the peers decides, which is one where there are three; two thirds of the validators signed the time.
 */
const freshSeconds = 20

/** The number of cached proposals, several times what `clique_status` reads. */
const proposalCacheSize = 256

const toIdentity = (
  { id, moniker, listenAddress, version }: Pick<NodeStatus, 'id' | 'moniker' | 'listenAddress' | 'version'>,
  host?: string,
): NodeIdentity => ({
  id,
  name: moniker,
  address: host === undefined ? listenAddress.replace(/^tcp:\/\//, '') : withHost(listenAddress, host),
  version,
})

/** Replaces the host, because peers only know the port that they listen on. */
const withHost = (listenAddress: string, host: string): string =>
  `${host}:${listenAddress.slice(listenAddress.lastIndexOf(':') + 1)}`

/** The network as CometBFT reports it. */
export class CometNetwork implements Network {
  readonly isListening = true
  readonly #dependencies: CometNetworkDependencies
  /** The height of this node when it was first seen to be behind. */
  #startedBehind: number | undefined
  readonly #proposals = new LRUCache<number, Proposal>({ max: proposalCacheSize })

  constructor(dependencies: CometNetworkDependencies) {
    this.#dependencies = dependencies
  }

  async self(): Promise<NodeIdentity> {
    return toIdentity(await this.#dependencies.rpc.status())
  }

  async peerCount(): Promise<number> {
    return (await this.#dependencies.rpc.peers()).length
  }

  async peers(): Promise<readonly Peer[]> {
    const peers = await this.#dependencies.rpc.peers()
    return peers.map((peer) => ({
      ...toIdentity(peer, peer.remoteIp),
      isInbound: !peer.isOutbound,
    }))
  }

  validators(number: number): readonly Uint8Array[] {
    return rewardAddresses(this.#dependencies.validatorSets.forBlock(number))
  }

  validatorSet(number: number): readonly NetworkValidator[] {
    return toNetworkValidators(this.#dependencies.validatorSets.forBlock(number))
  }

  async proposal(number: number): Promise<Proposal | undefined> {
    if (number === 0) return undefined
    const known = this.#proposals.get(number)
    if (known !== undefined) return known
    const commit = await this.#dependencies.rpc.commit(number)
    if (commit === undefined) return undefined
    const proposal = this.#toProposal(number, commit)
    // Until the next block contains the votes, this node may have seen them in another round than others.
    if (proposal !== undefined && commit.isCanonical) this.#proposals.set(number, proposal)
    return proposal
  }

  async syncing(): Promise<SyncProgress | undefined> {
    const { rpc, head, peerHeights, clock } = this.#dependencies
    const [{ latestHeight, isCatchingUp }, ofPeers] = await Promise.all([rpc.status(), peerHeights.height()])
    const { header } = head()
    const currentBlock = Number(header.number)
    const isFresh = clock() / 1000 - Number(header.timestamp) <= freshSeconds
    if (!isCatchingUp && (isFresh || ofPeers <= currentBlock + usualLag)) {
      this.#startedBehind = undefined
      return undefined
    }
    this.#startedBehind ??= currentBlock
    return {
      startingBlock: this.#startedBehind,
      currentBlock,
      highestBlock: Math.max(currentBlock, latestHeight, ofPeers),
    }
  }

  coinbase(): Uint8Array {
    return this.#dependencies.reward.current()
  }

  /** Returns the proposer by its address in the validator set; if that set was pruned, by the block's header. */
  #toProposal(number: number, { header, commit }: SignedHeader): Proposal | undefined {
    const { blocks, validatorSets } = this.#dependencies
    const found = validatorSets
      .findForBlock(number)
      ?.find(({ publicKey }) => equalBytes(keyAddress(publicKey), header.proposerAddress))
    const proposer = found?.reward ?? blocks.header(number)?.beneficiary
    return proposer && { proposer, isInTurn: commit.round === 0 }
  }
}

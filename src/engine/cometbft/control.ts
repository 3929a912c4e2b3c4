import type { Logger } from '../../base/logging/log.ts'
import { ChainError, refused, unavailable, unsupported } from '../../chain/chainError.ts'
import type { ChainControl } from '../../chain/port/control.ts'
import { CometError } from '../../comet/data/replyEnvelope.ts'
import type { ValidatorReward } from './reward.ts'
import type { EngineRpcClient } from './rpcClient.ts'

interface ControlOptions {
  /** The peers that the engine keeps; undefined if this process does not know them. */
  readonly persistentPeers: readonly string[] | undefined
}

interface ControlDependencies {
  readonly rpc: Pick<EngineRpcClient, 'dialPeers' | 'status'>
  readonly reward: Pick<ValidatorReward, 'set'>
  readonly log: Pick<Logger, 'warn'>
}

const methodNotFound = -32_601
/** CometBFT has no call for it. */
const stillConnected =
  'a peer is not dialed any more, but a connection that is open stays: CometBFT cannot cut one. It ends when the peer leaves or this node ' +
  'restarts; persistent-peers says whom it dials then, and a firewall who may dial it'

/** Creates the operator's actions on a chain that CometBFT decides. */
export const createCometControl = (
  { persistentPeers }: ControlOptions,
  { rpc, reward, log }: ControlDependencies,
): ChainControl => {
  const kept = persistentPeers && new Set(persistentPeers)
  /** The call before: the next one names its peer too. */
  let last: Promise<unknown> = Promise.resolve()
  /** Runs an action after those before it. */
  const inTurn = async <T>(action: () => Promise<T>): Promise<T> => {
    const done = last.then(action)
    last = done.catch(() => {})
    try {
      return await done
    } catch (error) {
      throw toPeerError(error as Error)
    }
  }
  const forget = async (peer: string): Promise<boolean> => {
    if (kept === undefined)
      throw unsupported('the peers of a CometBFT that somebody else runs are in its p2p.persistent_peers')
    const [id] = peer.split('@', 1)
    const found = [...kept].find((other) => other === peer || other.split('@', 1)[0] === id)
    if (found === undefined) return false
    const rest = [...kept].filter((other) => other !== found)
    // CometBFT takes no empty list, and never dials itself.
    await rpc.dialPeers(rest.length === 0 ? [await ownAddress(rpc)] : rest, true)
    kept.delete(found)
    // The response is only true, as geth's is.
    log.warn({ peer: found }, stillConnected)
    return true
  }
  const dial = async (peer: string): Promise<void> => {
    // CometBFT forgets the peers that it kept when it is given others. Where they are not known, none is kept.
    await rpc.dialPeers(kept === undefined ? [peer] : [...kept, peer], kept !== undefined)
    kept?.add(peer)
  }
  return {
    setHead: async () => {
      throw unsupported('blocks that CometBFT decided are final: the head does not move back')
    },
    setCoinbase: async (address) => {
      reward.set(address)
    },
    addPeer: async (peer) => {
      await inTurn(() => dial(peer))
      return true
    },
    removePeer: (peer) => inTurn(() => forget(peer)),
  }
}

const ownAddress = async (rpc: Pick<EngineRpcClient, 'status'>): Promise<string> => {
  const { id, listenAddress: address } = await rpc.status()
  return `${id}@127.0.0.1:${address.slice(address.lastIndexOf(':') + 1)}`
}

const toPeerError = (error: Error): Error => {
  if (error instanceof ChainError) return error
  if (!(error instanceof CometError)) return unavailable(`CometBFT does not answer: ${error.message}`)
  return error.code === methodNotFound
    ? unsupported(
        'the RPC of CometBFT does not take peers: it needs rpc.unsafe in its config.toml, for an address that only this computer reaches; or add the peer to p2p.persistent_peers and restart',
      )
    : refused(`CometBFT rejected the peer: ${error.message}`)
}

import { refused, unavailable, unsupported } from '../../chain/chainError.ts'
import type { ChainControl } from '../../chain/port/control.ts'
import type { ValidatorReward } from './reward.ts'
import { type EngineRpcClient, EngineRpcError } from './rpcClient.ts'

interface ControlOptions {
  /** The peers that the engine keeps; undefined if this process does not know them. */
  readonly persistentPeers: readonly string[] | undefined
}

interface ControlDependencies {
  readonly rpc: Pick<EngineRpcClient, 'dialPeers'>
  readonly reward: Pick<ValidatorReward, 'set'>
}

const methodNotFound = -32_601

/** Creates the operator's actions on a chain that CometBFT decides. */
export const createCometControl = (
  { persistentPeers }: ControlOptions,
  { rpc, reward }: ControlDependencies,
): ChainControl => {
  const kept = persistentPeers && new Set(persistentPeers)
  /** The call before: the next one names its peer too. */
  let last: Promise<unknown> = Promise.resolve()
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
      const dialed = last.then(() => dial(peer))
      last = dialed.catch(() => {})
      try {
        await dialed
      } catch (error) {
        throw toPeerError(error as Error)
      }
      return true
    },
  }
}

const toPeerError = (error: Error): Error => {
  if (!(error instanceof EngineRpcError)) return unavailable(`CometBFT does not answer: ${error.message}`)
  return error.code === methodNotFound
    ? unsupported(
        'the RPC of CometBFT does not take peers: it needs rpc.unsafe in its config.toml, for an address that only this computer reaches; or add the peer to p2p.persistent_peers and restart',
      )
    : refused(`CometBFT refuses the peer: ${error.message}`)
}

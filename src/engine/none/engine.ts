import { unsupported } from '../../chain/chainError.ts'
import type { ChainControl } from '../../chain/port/control.ts'
import { parseValidatorConfig } from '../../chain/validators/validatorConfig.ts'
import { laterThanParent } from '../blocks/blockTime.ts'
import type { Engine, EngineContext, EngineFactory, PreparedEngine } from '../engine.ts'
import { refusePeers, SingleNodeNetwork } from '../singleNode.ts'
import { ValidatorSetReader } from '../validatorSetReader.ts'

/** An engine that produces no blocks: the stored chain is served, and the pool only fills. */
export const noEngine: PreparedEngine = {
  mode: 'none',
  blobs: { accepted: true },
  nextBlockTime: laterThanParent,
  producesBlocks: false,
  genesisConfig: undefined,
  create: (context) => createNone(context),
}

export const prepareNone: EngineFactory<unknown> = async () => noEngine

const createNone = ({ config, blocks, state, producer }: EngineContext): Engine => {
  const isOfValidators = parseValidatorConfig(config.source) !== undefined
  return {
    network: new SingleNodeNetwork({
      blocks,
      producer,
      sets: isOfValidators ? new ValidatorSetReader(state) : undefined,
    }),
    control,
    cosmos: undefined,
    isInstantSeal: false,
    readyFields: {},
    stats: undefined,
    start: async () => {},
    stop: async () => {},
  }
}

const refuse = async (): Promise<never> => {
  throw unsupported('no engine runs here that makes blocks (--engine none)')
}

const control: ChainControl = {
  setHead: refuse,
  setCoinbase: refuse,
  addPeer: refusePeers,
  removePeer: refusePeers,
}

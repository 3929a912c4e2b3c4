import { unsupported } from '../../chain/chainError.ts'
import type { Control } from '../../chain/port/control.ts'
import { readValidatorConfig } from '../../chain/validators/validators.ts'
import { laterThanParent } from '../blockTime.ts'
import type { Engine, EngineContext, EngineFactory, PreparedEngine } from '../engine.ts'
import { refusePeers, SingleNodeNetwork } from '../singleNode.ts'
import { ValidatorSets } from '../validatorSets.ts'

/** Nothing makes blocks: what is there is served, and the pool only fills. */
export const noEngine: PreparedEngine = {
  blobs: { accepted: true },
  nextBlockTime: laterThanParent,
  genesisConfig: undefined,
  create: (context) => createNone(context),
}

export const prepareNone: EngineFactory<unknown> = async () => noEngine

const createNone = ({ config, blocks, state, producer }: EngineContext): Engine => {
  const isOfValidators = readValidatorConfig(config.source) !== undefined
  return {
    network: new SingleNodeNetwork({
      blocks,
      producer,
      sets: isOfValidators ? new ValidatorSets(state) : undefined,
    }),
    control,
    cosmos: undefined,
    isOnDemand: false,
    facts: {},
    calls: undefined,
    start: async () => {},
    stop: async () => {},
  }
}

const refuse = async (): Promise<never> => {
  throw unsupported('no engine runs here that makes blocks (--engine none)')
}

const control: Control = { setHead: refuse, setCoinbase: refuse, addPeer: refusePeers }

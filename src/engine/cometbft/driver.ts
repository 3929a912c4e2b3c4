import { unsupported } from '../../chain/chainError.ts'
import { GenesisError } from '../../chain/config/gethJson.ts'
import type { Control } from '../../chain/port/port.ts'
import { readValidatorConfig } from '../../chain/validators/validators.ts'
import type { Driver, DriverParts, EngineOptions } from '../engine.ts'
import { EngineCallBooks } from '../metrics.ts'
import { ValidatorSets } from '../validatorSets.ts'
import { CometEngine } from './cometEngine.ts'
import { createCosmosView } from './cosmosView.ts'
import { CometNetwork } from './network.ts'
import { createGenesisDoc } from './process/genesisDoc.ts'
import { writeGenesis } from './process/home.ts'

/** A chain that many nodes make, each beside a CometBFT process. */
export const createCometDriver = async (
  { place, onFatal }: Extract<EngineOptions, { kind: 'cometbft' }>,
  parts: DriverParts,
): Promise<Driver> => {
  const {
    config,
    app,
    pool,
    intake,
    producer,
    blocks,
    state,
    head,
    onHead,
    onJump,
    snapshots,
    retainHeight,
    query,
    log,
  } = parts
  const validators = readValidatorConfig(config.source)?.validators
  if (validators === undefined)
    throw new GenesisError(
      'the genesis names no validators (config.perihelion.validators): CometBFT needs them',
    )
  const sets = new ValidatorSets(state)
  if (place.kind === 'managed') {
    const timestamp = blocks.header(0)?.timestamp ?? 0n
    writeGenesis(place, createGenesisDoc({ chainId: config.chainId, timestamp, validators }))
  }
  const books = new EngineCallBooks()
  const engine = await CometEngine.start(
    { config, validators, place },
    {
      app,
      pool,
      intake,
      head,
      genesisHash: () => {
        const hash = blocks.blockHashAt(0)
        if (hash === undefined) throw new Error('the first block is missing')
        return hash
      },
      genesisSet: () => sets.afterBlock(0),
      producer,
      onHead,
      onJump,
      snapshots,
      retainHeight,
      query,
      onFatal,
      onCall: (call, milliseconds) => books.add(call, milliseconds),
      log,
    },
  )
  const { rpc } = engine
  return {
    network: new CometNetwork({ rpc, blocks, sets, producer, head }),
    control: createControl(parts, (peer) => rpc.dialPeers([peer], true)),
    cosmos: createCosmosView({ rpc, blocks, pool, head: () => Number(head().header.number) }),
    isOnDemand: false,
    calls: books.calls,
    facts: { rpc: rpc.url, ...(engine.pid === undefined ? {} : { 'engine-pid': engine.pid }) },
    start: () => engine.ready(),
    stop: () => engine.close(),
  }
}

const createControl = ({ producer }: DriverParts, dial: (peer: string) => Promise<void>): Control => ({
  setHead: async () => {
    throw unsupported('blocks that CometBFT decided are final: the head does not move back')
  },
  setCoinbase: async (address) => {
    producer.coinbase = address
  },
  addPeer: async (peer) => {
    await dial(peer)
    return true
  },
})

import { laterThanParent, notBeforeParent } from '../blockTime.ts'
import type { Engine, EngineContext, EngineFactory, PreparedEngine } from '../engine.ts'
import { refusePeers, SingleNodeNetwork } from '../singleNode.ts'
import { Sequencer, type SequencerOptions } from './sequencer.ts'

export interface SoloSettings {
  /** The interval between blocks in milliseconds; undefined for instant sealing. */
  readonly blockTimeMs: number | undefined
  /** Whether blocks without transactions are produced at the interval. */
  readonly createEmptyBlocks: boolean
}

/** The engine in which this process alone produces the blocks. */
export const soloEngine = (options: SequencerOptions): PreparedEngine => ({
  mode: 'embedded',
  blobs: { accepted: true },
  nextBlockTime: (options.blockTimeMs ?? 1000) < 1000 ? notBeforeParent : laterThanParent,
  makesBlocks: true,
  genesisConfig: undefined,
  create: (context) => createSolo(options, context),
})

export const prepareSolo: EngineFactory<SoloSettings> = async (settings) => soloEngine(settings)

const createSolo = (options: SequencerOptions, context: EngineContext): Engine => {
  const { pool, producer, blocks, rollbackTo, log } = context
  const sequencer = new Sequencer(options, {
    hasTransactions: () => producer.hasTransactions(),
    waiting: () => pool.counts.pending,
    produceBlock: () => producer.produceBlock(),
    log,
  })
  pool.events.on('pending', () => sequencer.notify())
  let isStopped = false
  return {
    network: new SingleNodeNetwork({ blocks, producer, sets: undefined }),
    control: {
      setHead: async (number) => {
        await sequencer.stop()
        try {
          await rollbackTo(number)
        } finally {
          if (!isStopped) sequencer.start()
        }
      },
      setCoinbase: async (address) => {
        producer.coinbase = address
      },
      addPeer: refusePeers,
    },
    cosmos: undefined,
    isInstantSeal: sequencer.isInstantSeal,
    readyFields: {},
    stats: undefined,
    start: async () => sequencer.start(),
    stop: () => {
      isStopped = true
      return sequencer.stop()
    },
  }
}

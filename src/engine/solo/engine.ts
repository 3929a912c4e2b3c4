import { laterThanParent, notBeforeParent } from '../blockTime.ts'
import type { Engine, EngineContext, EngineFactory, PreparedEngine } from '../engine.ts'
import { refusePeers, SingleNodeNetwork } from '../singleNode.ts'
import { Sequencer, type SequencerOptions } from './sequencer.ts'

export interface SoloSettings {
  /** Milliseconds between two blocks; undefined: a block as soon as there is a transaction. */
  readonly blockTimeMs: number | undefined
  /** With an interval: blocks come without transactions too. */
  readonly createEmptyBlocks: boolean
}

/** This process alone makes the blocks. */
export const soloEngine = (options: SequencerOptions): PreparedEngine => ({
  blobs: { accepted: true },
  nextBlockTime: (options.blockTimeMs ?? 1000) < 1000 ? notBeforeParent : laterThanParent,
  genesisConfig: undefined,
  create: (context) => createSolo(options, context),
})

export const prepareSolo: EngineFactory<SoloSettings> = async (settings) => soloEngine(settings)

const createSolo = (options: SequencerOptions, context: EngineContext): Engine => {
  const { pool, producer, blocks, rollbackTo, log } = context
  const sequencer = new Sequencer(options, {
    hasWork: () => producer.hasWork(),
    waiting: () => pool.counts.pending,
    makeBlock: () => producer.makeBlock(),
    log,
  })
  pool.events.on('pending', () => sequencer.wake())
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
    isOnDemand: sequencer.isOnDemand,
    facts: {},
    calls: undefined,
    start: async () => sequencer.start(),
    stop: () => {
      isStopped = true
      return sequencer.stop()
    },
  }
}

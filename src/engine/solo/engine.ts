import { badConfig } from '../../base/exit.ts'
import { version } from '../../base/version.ts'
import { requireKnownRules } from '../../chain/config/liveConfig.ts'
import { type BlockTimeRule, laterThanParent, notBeforeParent } from '../blockTime.ts'
import type { Engine, EngineContext, EngineFactory, EngineHost, PreparedEngine } from '../engine.ts'
import { refusePeers, SingleNodeNetwork } from '../singleNode.ts'
import { isUnknownForkError } from '../unknownFork.ts'
import { Sequencer, type SequencerOptions } from './sequencer.ts'

export interface SoloSettings {
  /** The interval between blocks in milliseconds; undefined for instant sealing. */
  readonly blockTimeMs: number | undefined
  /** Whether blocks without transactions are produced at the interval. */
  readonly createEmptyBlocks: boolean
}

/** The engine in which this process alone produces the blocks. */
export const soloEngine = (options: SequencerOptions, host: Pick<EngineHost, 'onFatal'>): PreparedEngine => ({
  mode: 'embedded',
  blobs: { accepted: true },
  nextBlockTime: nextBlockTimeOf(options),
  makesBlocks: true,
  genesisConfig: undefined,
  create: (context) => createSolo(options, host, context),
})

export const prepareSolo: EngineFactory<SoloSettings> = async (settings, host) => soloEngine(settings, host)

const nextBlockTimeOf = ({ blockTimeMs = 1000 }: SequencerOptions): BlockTimeRule =>
  blockTimeMs < 1000 ? notBeforeParent : laterThanParent

const createSolo = (
  options: SequencerOptions,
  { onFatal }: Pick<EngineHost, 'onFatal'>,
  context: EngineContext,
): Engine => {
  const { config, head, pool, producer, blocks, rollbackTo, writes, log } = context
  const sequencer = new Sequencer(options, {
    hasTransactions: () => producer.hasTransactions(),
    waiting: () => pool.counts.pending,
    produceBlock: () => producer.produceBlock(),
    onUnknownFork: (reason) => onFatal(badConfig(reason)),
    canWrite: () => writes.isOpen,
    isRefusedWrite: (error) => writes.closeForSpace(error),
    log,
  })
  writes.on(
    () => {},
    () => sequencer.notify(),
  )
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
    get isInstantSeal() {
      return sequencer.isInstantSeal
    },
    readyFields: {},
    stats: undefined,
    start: async () => {
      const time = nextBlockTimeOf(options)(Number(head().header.timestamp), Date.now())
      try {
        requireKnownRules(config, BigInt(time), version)
      } catch (error) {
        throw isUnknownForkError(error) ? badConfig(error.message) : error
      }
      sequencer.start()
    },
    stop: () => {
      isStopped = true
      return sequencer.stop()
    },
  }
}

import { badConfig } from '../../base/exit.ts'
import { version } from '../../base/version.ts'
import { refused } from '../../chain/chainError.ts'
import { requireKnownRules } from '../../chain/config/liveConfig.ts'
import { laterThanParent, notBeforeParent } from '../blocks/blockTime.ts'
import { isUnknownForkError } from '../commitErrors.ts'
import type { Engine, EngineContext, EngineFactory, EngineHost, PreparedEngine } from '../engine.ts'
import { assertRevertible, refusePeers, SingleNodeNetwork } from '../singleNode.ts'
import { BlockClock } from './blockClock.ts'
import { SoloDevControl } from './dev/devControl.ts'
import { Sequencer, type SequencerOptions } from './sequencer.ts'

export interface SoloSettings {
  /** The interval between blocks in milliseconds; undefined for instant sealing. */
  readonly blockTimeMs: number | undefined
  /** Whether blocks without transactions are produced at the interval. */
  readonly createEmptyBlocks: boolean
}

/** The engine in which this process alone produces the blocks. */
export const soloEngine = (options: SequencerOptions, host: Pick<EngineHost, 'onFatal'>): PreparedEngine => {
  const { blockTimeMs = 1000 } = options
  const clock = new BlockClock(blockTimeMs < 1000 ? notBeforeParent : laterThanParent)
  return {
    mode: 'embedded',
    blobs: { accepted: true },
    nextBlockTime: clock.nextTime,
    producesBlocks: true,
    genesisConfig: undefined,
    create: (context) => createSolo(options, clock, host, context),
  }
}

export const prepareSolo: EngineFactory<SoloSettings> = async (settings, host) => soloEngine(settings, host)

const createSolo = (
  options: SequencerOptions,
  clock: BlockClock,
  { onFatal }: Pick<EngineHost, 'onFatal'>,
  context: EngineContext,
): Engine => {
  const { config, head, pool, intake, producer, blocks, rollbackTo, writes, log } = context
  const sequencer = new Sequencer(options, {
    hasTransactions: () => producer.hasTransactions(),
    waiting: () => pool.counts.pending,
    incoming: () => intake.incoming,
    produceBlock: async () => {
      const transactions = await producer.produceBlock()
      dev.onBlock()
      return transactions
    },
    onUnknownFork: (reason) => onFatal(badConfig(reason)),
    canWrite: () => writes.isOpen,
    isRefusedWrite: (error) => writes.closeForSpace(error),
    log,
  })
  const holdWriting: Sequencer['hold'] = (work) =>
    sequencer.hold(work).catch((error: unknown) => {
      throw writes.explain(error)
    })
  const dev = new SoloDevControl(options, { ...context, sequencer, hold: holdWriting, clock, now: Date.now })
  writes.on(
    () => {},
    () => sequencer.notify(),
  )
  // What was waited for may have been rejected.
  intake.onNoneIncoming(() => sequencer.notify())
  // After everything that is admitted at once: the block holds all of it, and not the first alone.
  let isTold = false
  pool.events.on('pending', () => {
    if (isTold) return
    isTold = true
    process.nextTick(() => {
      isTold = false
      sequencer.notify()
    })
  })
  return {
    network: new SingleNodeNetwork({ blocks, producer, sets: undefined }),
    control: {
      setHead: (number) =>
        holdWriting(async () => {
          // The head may have moved back since the caller looked.
          if (number > Number(head().header.number)) throw refused(`block #${number} not found`)
          const first = blocks.meta.first()
          if (number < first)
            throw refused(`the chain is forked at block ${first}: this node does not have earlier blocks`)
          assertRevertible(context, number)
          await rollbackTo(number)
        }),
      setCoinbase: (address) =>
        sequencer.hold(async () => {
          producer.coinbase = address
        }),
      addPeer: refusePeers,
      removePeer: refusePeers,
    },
    dev,
    cosmos: undefined,
    get isInstantSeal() {
      return sequencer.isInstantSeal
    },
    readyFields: {},
    stats: undefined,
    start: async () => {
      const time = clock.nextTime(Number(head().header.timestamp), Date.now())
      try {
        requireKnownRules(config, BigInt(time), version)
      } catch (error) {
        throw isUnknownForkError(error) ? badConfig(error.message) : error
      }
      sequencer.start()
    },
    stop: () => sequencer.stop(),
  }
}

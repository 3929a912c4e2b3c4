import { expect, test } from 'vitest'
import { firstBlock } from '../../../test/support/blocks.ts'
import { type ExitError, exitCodes } from '../../base/exit.ts'
import { createLogger } from '../../base/logging/log.ts'
import type { ScheduledFork } from '../../chain/config/chainConfig.ts'
import { UnknownForkError } from '../../chain/config/liveConfig.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { EngineContext } from '../engine.ts'
import { soloEngine } from './engine.ts'

const options = { blockTimeMs: 5, createEmptyBlocks: true }
const chain = {} as Chain // not used by this engine

/** The engine over a chain that cannot make a block, with the fatal errors that it tells. */
const createEngine = (unknownForks: readonly ScheduledFork[]) => {
  const fatal: ExitError[] = []
  const context = {
    config: { unknownForks },
    head: () => ({ header: firstBlock().header }),
    blocks: { meta: { devSettings: () => undefined, fork: () => undefined, snapshots: { all: () => [] } } },
    pool: { events: { on: () => () => {} }, counts: { pending: 0 } },
    intake: { incoming: 0, onNoneIncoming: () => {} },
    producer: {
      hasTransactions: () => false,
      produceBlock: async () => {
        throw new UnknownForkError('this node stops here: a fork')
      },
    },
    writes: { isOpen: true, closeForSpace: () => false, on: () => {} },
    log: createLogger('silent'),
  } as unknown as EngineContext // the parts that are used
  return { fatal, engine: soloEngine(options, { onFatal: (error) => fatal.push(error) }).create(context) }
}

test('a fork that this version does not know ends the node with one exit code, at the start and later', async () => {
  const past = createEngine([{ name: 'amsterdam', time: 1n, version: '9.8.7' }])
  await expect(past.engine.start(chain)).rejects.toMatchObject({
    exitCode: exitCodes.badConfig,
    message: expect.stringMatching(/^this node stops here: the fork amsterdam, .*9\.8\.7/),
  })
  const { engine, fatal } = createEngine([])
  await engine.start(chain)
  await expect
    .poll(() => fatal.map(({ exitCode, message }) => [exitCode, message]))
    .toEqual([[exitCodes.badConfig, 'this node stops here: a fork']])
  await engine.stop()
})

test('a block on demand holds all that is admitted at once', async () => {
  const facts = { waiting: 0, blocks: [] as number[], tell: () => {} }
  const produceBlock = async (): Promise<number> => {
    const taken = facts.waiting
    facts.waiting = 0
    facts.blocks.push(taken)
    return taken
  }
  const context = {
    config: { unknownForks: [] },
    head: () => ({ header: firstBlock().header }),
    blocks: { meta: { devSettings: () => undefined, fork: () => undefined, snapshots: { all: () => [] } } },
    pool: {
      events: {
        on: (_: string, listener: () => void) => {
          facts.tell = listener
        },
      },
      counts: { pending: 0 },
    },
    intake: { incoming: 0, onNoneIncoming: () => {} },
    producer: { hasTransactions: () => facts.waiting > 0, produceBlock },
    writes: { isOpen: true, closeForSpace: () => false, on: () => {} },
    log: createLogger('silent'),
  } as unknown as EngineContext // the parts that are used
  const onDemand = { blockTimeMs: undefined, createEmptyBlocks: true }
  const engine = soloEngine(onDemand, { onFatal: () => {} }).create(context)
  await engine.start(chain)
  const admit = async (): Promise<void> => {
    await Promise.resolve()
    facts.waiting++
    facts.tell()
  }
  await Promise.all([admit(), admit(), admit()])
  await expect.poll(() => facts.blocks).toEqual([3])
  await engine.stop()
})

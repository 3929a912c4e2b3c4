import type { HomeRecord } from '../../app/homeRecord.ts'
import type { Config } from '../../config/settings/settings.ts'
import { readHomeMode } from '../../home/mode.ts'

/** Returns what is recorded about the home of a node. One without an engine is held to it, and writes nothing. */
export const toRecord = ({ engine, home }: Config, dev: boolean): HomeRecord => ({
  home,
  engine: engine === 'none' ? undefined : engine,
  isWritten: engine !== 'none',
  dev,
  known: readHomeMode(home),
})

/** What a first start says of the home that it began. */
export const newHomeMessage = 'a new home: later starts go on with this engine and this genesis'

/** What a start says that begins a chain in a home that had one. */
export const lostChainMessage =
  'this home had a chain (mode.json), and its data is gone: the chain begins again at block 0. If nobody removed data/ on purpose, stop this node, ' +
  'and look whether its volume is mounted or restore a backup; `perihelion reset` starts over without this warning'

export const describeNewHome = ({ engine, home }: Config, isDev: boolean, chainId: bigint): object => ({
  home,
  engine,
  chain: `${chainId}`,
  genesis: isDev ? 'dev' : 'its own',
})

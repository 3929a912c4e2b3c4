import type { HomeRecord } from '../app/homeRecord.ts'
import { readHomeMode } from '../config/homeMode.ts'
import type { Config } from '../config/settings.ts'

/** Returns what is recorded about the home of a node. One without an engine only looks at it. */
export const toRecord = ({ engine, home }: Config, dev: boolean): HomeRecord | undefined =>
  engine === 'none' ? undefined : { home, engine, dev, known: readHomeMode(home) }

/** What a first start says of the home that it began. */
export const newHomeMessage = 'a new home: later starts go on with this engine and this genesis'

export const describeNewHome = ({ engine, home }: Config, isDev: boolean, chainId: bigint): object => ({
  home,
  engine,
  chain: `${chainId}`,
  genesis: isDev ? 'dev' : 'its own',
})

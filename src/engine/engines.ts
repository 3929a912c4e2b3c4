import { prepareCometbft } from './cometbft/prepare.ts'
import type { EngineFactory } from './engine.ts'
import { prepareNone } from './none/engine.ts'
import { prepareSolo } from './solo/engine.ts'

/** Every engine by the name with which an operator selects it. */
export const engines = {
  solo: prepareSolo,
  cometbft: prepareCometbft,
  none: prepareNone,
} satisfies Readonly<Record<string, EngineFactory<never>>>

type AnyFactory = (typeof engines)[keyof typeof engines]

/** The settings of all engines together; each reads its part. */
export type EngineSettings = AnyFactory extends EngineFactory<infer Settings> ? Settings : never

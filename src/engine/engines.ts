import { prepareCometbft } from './cometbft/prepare.ts'
import type { EngineFactory } from './engine.ts'
import { prepareNone } from './none/engine.ts'
import { prepareSolo } from './solo/engine.ts'

/** Every engine by the name under which an operator chooses it. */
export const engines = {
  solo: prepareSolo,
  cometbft: prepareCometbft,
  none: prepareNone,
} satisfies Readonly<Record<string, EngineFactory<never>>>

type AnyFactory = (typeof engines)[keyof typeof engines]

/** What all of them together read: each takes its part of it. */
export type EngineSettings = AnyFactory extends EngineFactory<infer Settings> ? Settings : never

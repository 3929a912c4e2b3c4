import type { EngineFactory } from './engine.ts'

/** Every engine by the name with which an operator selects it; only that one is loaded. */
export const engines = {
  solo: async () => (await import('./solo/engine.ts')).prepareSolo,
  cometbft: async () => (await import('./cometbft/prepare.ts')).prepareCometbft,
  none: async () => (await import('./none/engine.ts')).prepareNone,
} satisfies Readonly<Record<string, () => Promise<EngineFactory<never>>>>

type AnyFactory = Awaited<ReturnType<(typeof engines)[keyof typeof engines]>>

/** The settings of all engines together; each reads its part. */
export type EngineSettings = AnyFactory extends EngineFactory<infer Settings> ? Settings : never

import type { Session } from '../chain.ts'

/** Answers a method by what is proven. */
export type LightMethod = (session: Session, params: readonly unknown[]) => Promise<unknown>

export type LightMethods = Readonly<Record<string, LightMethod>>

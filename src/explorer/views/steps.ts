import { call } from '../rpc/client.ts'
import type { Hex } from '../rpc/types.ts'

export interface Step {
  readonly step: number
  readonly pc: number
  readonly op: string
  readonly depth: number
  readonly gas: number
  readonly gasCost: number
  readonly address: Hex
  readonly error?: string
  readonly stack: readonly Hex[]
  readonly memorySize: number
  readonly memory: Hex
}

export interface Mark {
  readonly kind: 'enter' | 'leave' | 'store' | 'fail'
  readonly step: number
  readonly depth: number
}

export interface Steps {
  readonly steps: readonly Step[]
  readonly total: number
  readonly failed: boolean
  readonly marks: readonly Mark[]
}

/** Steps of one piece. */
export const pieceSize = 128

export const pieceOf = (step: number): number => Math.floor(step / pieceSize)

/** Pieces that were read, the newest last. */
const pieces = new Map<string, Promise<Steps>>()
const maxKept = 40

/** Loads a piece of the steps of a transaction. */
export const loadPiece = (hash: string, piece: number): Promise<Steps> => {
  const key = `${hash} ${piece}`
  const known = pieces.get(key)
  if (known !== undefined) return known
  const loading = call<Steps>('perihelion_traceSteps', hash, piece * pieceSize, pieceSize)
  pieces.set(key, loading)
  loading.catch(() => pieces.delete(key))
  const [oldest] = pieces.keys()
  if (pieces.size > maxKept && oldest !== undefined) pieces.delete(oldest)
  return loading
}

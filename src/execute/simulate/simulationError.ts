import type { SimulationErrorKind } from '../../chain/state/simulation.ts'

/** Thrown if the whole simulation is invalid, with geth's error message. */
export class SimulationError extends Error {
  override readonly name = 'SimulationError'
  readonly kind: SimulationErrorKind

  constructor(kind: SimulationErrorKind, message: string) {
    super(message)
    this.kind = kind
  }
}

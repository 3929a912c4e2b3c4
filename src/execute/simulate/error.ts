import type { SimulationErrorKind } from '../../chain/state/simulation.ts'

/** The simulation as a whole cannot be; the message is geth's wording. */
export class SimulationError extends Error {
  override readonly name = 'SimulationError'
  readonly kind: SimulationErrorKind

  constructor(fault: SimulationErrorKind, message: string) {
    super(message)
    this.kind = fault
  }
}

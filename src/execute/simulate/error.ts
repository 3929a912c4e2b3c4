import type { SimulationFault } from '../../chain/state/simulation.ts'

/** The simulation as a whole cannot be; the message is geth's wording. */
export class SimulationError extends Error {
  override readonly name = 'SimulationError'
  readonly fault: SimulationFault

  constructor(fault: SimulationFault, message: string) {
    super(message)
    this.fault = fault
  }
}

/** An instrument of the process could not do what was asked; the message is for whoever asked. */
export class ProfilingError extends Error {
  override readonly name = 'ProfilingError'
}

/** Thrown when a profile or a measurement fails; the message is shown to the client. */
export class ProfilingError extends Error {
  override readonly name = 'ProfilingError'
}

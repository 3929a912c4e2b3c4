import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * How long a client that sends no more is kept for the responses that it waits for. A client that has closed its connection
 * altogether looks the same until something is written to it, and until then its calls cost what those of any other do: so
 * the time is that of a call to a busy node, and not that of the longest one.
 */
const halfOpenMs = 2000

/** Makes node:http answer the requests that have come from a client that sends no more, instead of giving them up. */
export const answerHalfOpen = (server: Server): void => {
  // Node's own property, which @types/node does not have.
  Object.assign(server, { httpAllowHalfOpen: true })
}

/** Ends a connection some time after its client's end, with whatever runs for it. */
export const limitHalfOpen = (socket: Socket): void => {
  socket.once('end', () => {
    const timer = setTimeout(() => socket.end(), halfOpenMs)
    socket.once('close', () => clearTimeout(timer))
  })
}

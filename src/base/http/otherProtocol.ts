import type { ClientRequest } from 'node:http'

/** Fails a request whose response switches to another protocol (status 101). Node.js would close the connection without an error. */
export const failOnUpgrade = (request: ClientRequest, fail: (error: Error) => void): void => {
  request.on('upgrade', (_, socket) => {
    socket.destroy()
    fail(new Error('the server wants another protocol'))
  })
}

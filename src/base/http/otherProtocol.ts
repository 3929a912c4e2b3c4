import type { ClientRequest } from 'node:http'

/** Fails a request that is answered with another protocol (status 101). Node would end its connection and tell nobody. */
export const failOnUpgrade = (request: ClientRequest, fail: (error: Error) => void): void => {
  request.on('upgrade', (_, socket) => {
    socket.destroy()
    fail(new Error('the server wants another protocol'))
  })
}

import { existsSync, rmSync, statSync } from 'node:fs'
import { createConnection } from 'node:net'

/** What is where a socket is to be made. */
export type SocketPlace = 'free' | 'served' | 'not a socket'

/** Removes the socket file of a process that was killed, which nobody could listen on; returns what is there then. */
export const clearSocketPath = async (path: string): Promise<SocketPlace> => {
  if (!existsSync(path)) return 'free'
  if (!statSync(path).isSocket()) return 'not a socket'
  const isServed = await new Promise<boolean>((resolve) => {
    const probe = createConnection(path)
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
    probe.once('error', () => resolve(false))
  })
  if (isServed) return 'served'
  rmSync(path, { force: true })
  return 'free'
}

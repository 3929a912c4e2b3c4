import { once } from 'node:events'
import { createServer } from 'node:net'
import { homeInUse } from '../../../base/exit.ts'
import { errorCode } from '../../../base/files/writeAll.ts'

/**
 * Takes the key of a validator for this process: two homes with one key do not run on one computer. The lock is a name of the
 * kernel's, which ends with the process however that ends; only Linux has such names. Returns the function that releases it.
 */
export const lockValidatorKey = async (address: string): Promise<() => Promise<void>> => {
  if (process.platform !== 'linux') return async () => {}
  const server = createServer((socket) => socket.destroy())
  // Nobody waits for its end.
  server.unref()
  server.listen(`\0perihelion-validator-${address}`)
  try {
    await once(server, 'listening')
  } catch (error) {
    if (errorCode(error) !== 'EADDRINUSE') throw error
    throw homeInUse(
      `another process of this computer signs with the key of this validator (${address}): its home is a copy of this one, or this one is ` +
        'a copy of its. One key must never sign twice: stop the other one first',
    )
  }
  return async () => {
    server.close()
    await once(server, 'close')
  }
}

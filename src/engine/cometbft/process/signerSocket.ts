import { setTimeout as pause } from 'node:timers/promises'
import { parseSocketAddress } from '../../../base/encoding/socketAddress.ts'
import { addressTaken } from '../../../base/exit.ts'
import { clearSocketPath } from '../../../base/files/staleSocket.ts'
import type { Logger } from '../../../base/logging/log.ts'
import { holdMs } from './interrupted.ts'

const pollMs = 200

/**
 * Makes room for the socket on which CometBFT waits for its signer: it leaves it behind when it is killed, and when no signer came,
 * and does not start beside one. The CometBFT of a process that was killed may serve it for some seconds more.
 */
export const clearSignerSocket = async (
  address: string,
  log: Logger,
  { isStopping, waitMs = holdMs }: { readonly isStopping: () => boolean; readonly waitMs?: number },
): Promise<void> => {
  const parsed = parseSocketAddress(address)
  if (parsed?.kind !== 'unix') return
  const until = performance.now() + waitMs
  for (let tries = 0; ; tries++) {
    const place = await clearSocketPath(parsed.path)
    if (place === 'free') return
    if (place !== 'served' || performance.now() > until || isStopping())
      throw addressTaken(`priv-validator-laddr: something else is at ${address}: choose another address`)
    if (tries === 0)
      log.info(
        { address },
        'the socket for the signer is in use: waiting for the CometBFT of an earlier process to end',
      )
    await pause(pollMs)
  }
}

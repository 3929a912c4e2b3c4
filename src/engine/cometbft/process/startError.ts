import { addressTaken, badFile, explainListenError, internalFailure, noSigner } from '../../../base/exit.ts'
import type { EngineListenAddresses } from './readConfig.ts'

/** What CometBFT was started with, as far as a failed start may be due to it. */
export interface StartedWith {
  /** Where it waits for a signer. */
  readonly remoteSigner?: string | undefined
  readonly listens?: Pick<EngineListenAddresses, 'rpc' | 'p2p'> | undefined
}

/**
 * Returns an error that says why CometBFT did not start, from the last error in its log, and what the operator can do.
 */
export const toStartError = (lastError: string, { remoteSigner, listens }: StartedWith = {}): Error => {
  if (remoteSigner !== undefined && /private validator socket client/.test(lastError)) {
    if (/address already in use/.test(lastError))
      return addressTaken(`another process waits for a signer on ${remoteSigner}: ${lastError}`)
    return noSigner(
      `no remote signer came to ${remoteSigner} (priv-validator-laddr): CometBFT waits for it three seconds, and does not start without one. ` +
        `Start the signer, and this node again: ${lastError}`,
    )
  }
  const high = /app block height \((\d+)\) is higher than core \((\d+)\)/.exec(lastError)
  if (high)
    return badFile(
      `this home is at block ${high[1]} and CometBFT at ${high[2]}: its data is older than ours. Restore the newer copy ` +
        `of engine/data, or take ours back with "perihelion rollback --to ${high[2]}" (its --help says what that means)`,
    )
  const low = /app block height \((\d+)\) is too far below block store base \((\d+)\)/.exec(lastError)
  if (low)
    return badFile(
      `this home is at block ${low[1]} and CometBFT has no blocks below ${low[2]}: restore a newer copy of ` +
        'data/chain.mdb, or begin a new home by state sync',
    )
  return (
    explainTakenAddress(lastError, listens) ??
    internalFailure(`CometBFT did not start${lastError === '' ? '; its log says why' : `: ${lastError}`}`)
  )
}

/** What Go says of an address on which it cannot listen, and the code of each in Node.js. */
const listenErrors = [
  ['address already in use', 'EADDRINUSE'],
  ['cannot assign requested address', 'EADDRNOTAVAIL'],
  ['permission denied', 'EACCES'],
] as const

const explainTakenAddress = (lastError: string, listens: StartedWith['listens']): Error | undefined => {
  const [, address = '', port, reason = ''] = /listen tcp[46]? (\S*:(\d+)): bind: (.+)$/.exec(lastError) ?? []
  const code = listenErrors.find(([text]) => reason.startsWith(text))?.[1]
  if (code === undefined) return undefined
  const isAt = (listened: EngineListenAddresses['rpc']): boolean => listened?.port === Number(port)
  const setting = isAt(listens?.p2p) ? 'engine-p2p' : isAt(listens?.rpc) ? 'engine-rpc' : undefined
  return explainListenError(Object.assign(new Error(lastError), { code }), address, setting)
}

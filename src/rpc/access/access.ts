import { devNotAllowed, type RpcError, signingNotAllowed, unauthorized } from '../errors.ts'
import type { Access } from '../methodKinds.ts'
import type { ApiKey } from './apiKey.ts'
import { networkOf } from './clientAddress.ts'

export type TransportName = 'http' | 'ws' | 'ipc' | 'in-process'

/**
 * The origin of calls, as far as the transport knows it. There is one for each HTTP request and for each connection.
 */
export interface Caller {
  readonly transport: TransportName
  /** The client's address, which trusted proxies may state; empty over IPC and in process. */
  readonly address: string
  /** Whether the client is on this machine and not behind a proxy. */
  readonly isLocal: boolean
  /** The time (ms since 1970) until which the caller may use private methods: 0 for never, Infinity for always. */
  readonly authorizedUntil: number
  /** What it says that it is, over HTTP. Nothing that matters to others may depend on it. */
  readonly userAgent?: string | undefined
  /** The API key that its calls are charged to; undefined where keys are off or not needed. */
  readonly key?: ApiKey | undefined
}

export interface AccessRules {
  /** Whether remote callers without a token may use the unlocked accounts. */
  readonly allowInsecureUnlock: boolean
}

/** Returns the error for a call that is not allowed; undefined if it may run. */
export const checkAccess = (
  access: Access,
  name: string,
  caller: Caller,
  rules: AccessRules,
  now: number,
): RpcError | undefined => {
  if (access === 'public' || caller.authorizedUntil > now) return undefined
  // Anything else, a misspelt level of an added method too, is private.
  if (access !== 'signing' && access !== 'dev') return unauthorized(name)
  if (caller.isLocal || rules.allowInsecureUnlock) return undefined
  return access === 'signing' ? signingNotAllowed(name) : devNotAllowed(name)
}

/**
 * Returns what stands for the client of a caller where limits hold for each client: its key, its address (its network, of
 * IPv6), or else its connection.
 */
export const clientOf = (caller: Caller): object | string =>
  caller.key ?? (caller.address === '' ? caller : networkOf(caller.address))

import { type RpcError, signingRefused, unauthorized } from '../errors.ts'
import type { Access } from '../method.ts'

export type TransportName = 'http' | 'ws' | 'ipc' | 'in-process'

/** Who calls, as far as the transport can tell. One per HTTP request and per connection of any other kind. */
export interface Caller {
  readonly transport: TransportName
  /** The client's address, behind trusted proxies its own; empty over IPC and in process. */
  readonly address: string
  /** On this machine, and not by way of a proxy. */
  readonly isLocal: boolean
  /** Until when (ms since 1970) the caller may use private methods; 0 never, Infinity without end. */
  readonly authorizedUntil: number
}

export interface AccessRules {
  /** Remote callers without a token may use the accounts that are unlocked. */
  readonly allowInsecureUnlock: boolean
}

/** The error that refuses this call, or undefined when it may run. */
export const refusal = (
  access: Access,
  name: string,
  caller: Caller,
  rules: AccessRules,
  now: number,
): RpcError | undefined => {
  if (access === 'public' || caller.authorizedUntil > now) return undefined
  if (access === 'private') return unauthorized(name)
  return caller.isLocal || rules.allowInsecureUnlock ? undefined : signingRefused(name)
}

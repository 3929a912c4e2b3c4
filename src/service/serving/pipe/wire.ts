import type { Caller, TransportName } from '../../../rpc/access/access.ts'

/** A call as it is passed on: who calls, the method and its parameters. */
export interface WireCall {
  readonly caller: Omit<Caller, 'key'>
  /** The name of the API key that the call was charged to. */
  readonly keyName: string | undefined
  readonly method: string
  readonly params: readonly unknown[]
  /** The milliseconds in which the call must have its response. */
  readonly answerWithinMs: number
}

type Fields = readonly [
  transport: TransportName,
  address: string,
  isLocal: boolean,
  authorizedUntil: number | null,
  userAgent: string | null,
  keyName: string | null,
  method: string,
  params: readonly unknown[],
  answerWithinMs: number,
]

/** Returns the text of a call as it is passed on. */
export const encodeCall = (
  caller: Caller,
  method: string,
  params: readonly unknown[],
  answerWithinMs: number,
): string => {
  const { transport, address, isLocal, authorizedUntil, userAgent = null, key } = caller
  const until = Number.isFinite(authorizedUntil) ? authorizedUntil : null
  const keyName = key?.name ?? null
  const withinMs = Math.floor(answerWithinMs)
  const fields: Fields = [transport, address, isLocal, until, userAgent, keyName, method, params, withinMs]
  return JSON.stringify(fields)
}

export const decodeCall = (text: string): WireCall => {
  const fields = JSON.parse(text) as Fields
  const [transport, address, isLocal, until, userAgent, keyName, method, params, answerWithinMs] = fields
  return {
    caller: {
      transport,
      address,
      isLocal,
      authorizedUntil: until ?? Number.POSITIVE_INFINITY,
      userAgent: userAgent ?? undefined,
    },
    keyName: keyName ?? undefined,
    method,
    params,
    answerWithinMs,
  }
}

/** What serving processes get beside the published head. Logs are texts of JSON. */
export type WireEvent =
  /** The head has moved: look at the published one. */
  | { readonly kind: 'moved' }
  /**
   * Blocks were removed for the time with this number; listeners are notified if `to` is given. The logs of the
   * blocks are undefined where they are too many to be told.
   */
  | {
      readonly kind: 'reverted'
      readonly reverts: number
      readonly to: number | undefined
      readonly removed: readonly { readonly number: number; readonly logs: readonly string[] }[] | undefined
    }
  /** The process must answer when it has done all that was sent to it before. */
  | { readonly kind: 'sync' }

/** Returns the bytes of an event, which all processes share. */
export const encodeEvent = (event: WireEvent): Uint8Array => Buffer.from(JSON.stringify(event))

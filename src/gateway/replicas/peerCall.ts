import { createHmac, timingSafeEqual } from 'node:crypto'

/** A call from one replica to another, with the proof that its sender has the shared token. The token does not travel. */
export interface PeerCall {
  /** The number of the replica that asks, and of the one that is asked. */
  readonly from: number
  readonly to: number
  /** When it was made, in milliseconds since 1970. */
  readonly time: number
  /** The JSON of the method and its parameters. */
  readonly call: string
  readonly mac: string
}

/** The number by which whichever replica is at a URL is asked. No replica has it. */
export const anyReplica = 0

/** How much the clocks of replicas may differ, with the time that a call travels. */
const maxAgeMs = 60_000

const macOf = (token: string, { from, to, time, call }: Omit<PeerCall, 'mac'>): Buffer =>
  createHmac('sha256', token)
    .update(JSON.stringify([from, to, time, call]))
    .digest()

export const signCall = (token: string, call: Omit<PeerCall, 'mac'>): PeerCall => ({
  ...call,
  mac: macOf(token, call).toString('hex'),
})

/** Returns what is wrong with a call; undefined if it comes from a replica with the token, for this one, and is new. */
export const findFault = (token: string, call: PeerCall, self: number, now: number): string | undefined => {
  const given = Buffer.from(call.mac, 'hex')
  const wanted = macOf(token, call)
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return 'the token is another one'
  if (call.to !== self && call.to !== anyReplica) return `it is for replica ${call.to}, this is ${self}`
  if (Math.abs(now - call.time) > maxAgeMs)
    return 'it is not of this minute: the clocks of the replicas differ'
  return undefined
}

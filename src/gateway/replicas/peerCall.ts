import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { PeerAnswer, PeerCall, SignedAnswer } from '../../chain/port/replicas.ts'

/** The number by which whichever replica is at a URL is asked. No replica has it. */
export const anyReplica = 0

/** How much the clocks of replicas may differ, with the time that a call travels. */
const maxAgeMs = 60_000

type UnsignedCall = Omit<PeerCall, 'mac'>

const macOfCall = (token: string, { from, to, time, nonce, call, instance }: UnsignedCall): Buffer =>
  createHmac('sha256', token)
    .update(JSON.stringify([from, to, time, nonce, call, ...(instance === undefined ? [] : [instance])]))
    .digest()

/** The text of a call begins with a bracket, so that no answer has the MAC of a call. */
const macOfAnswer = (token: string, call: PeerCall, answer: string): Buffer =>
  createHmac('sha256', token).update(`answer ${call.mac} `).update(answer).digest()

const isMac = (given: string, wanted: Buffer): boolean => {
  const bytes = Buffer.from(given, 'hex')
  return bytes.length === wanted.length && timingSafeEqual(bytes, wanted)
}

export const signCall = (token: string, call: Omit<UnsignedCall, 'nonce'>): PeerCall => {
  const unsigned = { ...call, nonce: randomBytes(12).toString('base64') }
  return { ...unsigned, mac: macOfCall(token, unsigned).toString('hex') }
}

export const signAnswer = (token: string, call: PeerCall, content: PeerAnswer): SignedAnswer => {
  const answer = JSON.stringify(content)
  return { answer, mac: macOfAnswer(token, call, answer).toString('hex') }
}

/** Returns what a replica with the token answered to this call. Throws if it is not signed so. */
export const openAnswer = (token: string, call: PeerCall, { answer, mac }: SignedAnswer): PeerAnswer => {
  if (!isMac(mac, macOfAnswer(token, call, answer))) throw new Error('the answer is not signed')
  return JSON.parse(answer) as PeerAnswer // of a replica with the token
}

/** Returns what is wrong with a call; undefined if it comes from a replica with the token, for this one, and of now. */
export const findFault = (token: string, call: PeerCall, self: number, now: number): string | undefined => {
  if (!isMac(call.mac, macOfCall(token, call))) return 'the token is another one'
  if (call.to !== self && call.to !== anyReplica) return `it is for replica ${call.to}, this is ${self}`
  if (Math.abs(now - call.time) > maxAgeMs)
    return 'it is not of this minute: the clocks of the replicas differ'
  return undefined
}

/** A process of a replica, which does not know what the one before it has answered. */
export class ReplicaInstance {
  readonly id = randomBytes(12).toString('base64')
  readonly #startedAt: number

  constructor(startedAt: number) {
    this.#startedAt = startedAt
  }

  /**
   * Returns whether a call may have been answered by the process before this one. One that names this instance was made
   * for it; so was one of a time that no earlier process would have taken for now.
   */
  mayBeRepeated({ time, instance }: PeerCall): boolean {
    return instance !== this.id && time <= this.#startedAt + maxAgeMs
  }
}

/** Above this many calls in two minutes the oldest ones are forgotten. */
const maxRemembered = 250_000

/** The calls that were answered, for as long as they could be repeated by whoever has seen them. */
export class AnsweredCalls {
  readonly #times = new Map<string, number>()

  /** Remembers a call. Returns whether it is new. */
  add({ mac }: PeerCall, now: number): boolean {
    const id = mac.slice(0, 32).toLowerCase()
    for (const [old, time] of this.#times) {
      // The clock of the caller may be ahead by as much as its call may be old.
      if (now - time <= 2 * maxAgeMs && this.#times.size < maxRemembered) break
      this.#times.delete(old)
    }
    if (this.#times.has(id)) return false
    this.#times.set(id, now)
    return true
  }
}

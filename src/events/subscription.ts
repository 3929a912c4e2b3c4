import type { Notice, Outlet } from '../base/notice.ts'
import { createId } from './notification.ts'

/** What may wait until its client knows the id, in bytes. */
const heldLimit = 4_000_000

/** One client's wish to be told of something. Until its id is on its way, what comes is held back. */
export class Subscription {
  readonly id: string
  /** Deliveries with lower numbers are none of its: they tell of what was before. */
  since: number
  readonly #name: Buffer
  readonly #outlet: Outlet
  #held: Notice[] | undefined = []
  #heldBytes = 0
  #isEnded = false

  constructor(outlet: Outlet, since: number) {
    this.id = createId()
    this.since = since
    this.#name = Buffer.from(this.id, 'latin1')
    this.#outlet = outlet
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  get outlet(): Outlet {
    return this.#outlet
  }

  deliver(notice: Notice): void {
    if (this.#isEnded) return
    if (this.#held === undefined) return this.#outlet.push(notice, this.#name)
    this.#held.push(notice)
    this.#heldBytes += notice.size
    if (this.#heldBytes > heldLimit)
      this.#outlet.cutOff('too much happened before the subscription was answered')
  }

  /** The client has the id: what was held back follows it. */
  activate(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const notice of held) this.deliver(notice)
  }

  end(): void {
    this.#isEnded = true
    this.#held = undefined
  }
}

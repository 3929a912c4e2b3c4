import type { Subscription } from './subscription.ts'

/** Listens to an event as long as it has users. */
export class SharedListener {
  readonly users = new Set<Subscription>()
  readonly #start: () => () => void
  #stop: (() => void) | undefined

  /** `start` starts to listen and returns the function that stops it. */
  constructor(start: () => () => void) {
    this.#start = start
  }

  addUser(subscription: Subscription): void {
    this.users.add(subscription)
    this.#stop ??= this.#start()
  }

  removeUser(subscription: Subscription): void {
    this.users.delete(subscription)
    if (this.users.size > 0) return
    this.#stop?.()
    this.#stop = undefined
  }
}

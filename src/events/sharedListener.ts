import type { Subscription } from './subscription.ts'

/** Listens as long as there is somebody to tell. */
export class SharedListener {
  readonly users = new Set<Subscription>()
  readonly #start: () => () => void
  #stop: (() => void) | undefined

  /** `start` begins to listen and gives what ends it. */
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

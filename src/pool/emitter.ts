type Listener<Event> = (event: Event) => void

/**
 * Calls the listeners of an event in order. If one throws, its error is reported and the others still run: the event has
 * already happened, for example a block is stored.
 */
export class Emitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<Listener<never>>>()
  readonly #onError: (error: unknown) => void

  /** `onError` is called with what a listener throws. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  /** Calls `listener` for each event until the returned function is called. */
  on<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): () => void {
    const listeners = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, listeners.add(listener))
    return () => listeners.delete(listener)
  }

  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    for (const listener of this.#listeners.get(name) ?? []) {
      try {
        // The set under `name` holds only listeners that `on` added for that name.
        ;(listener as Listener<Events[Name]>)(event)
      } catch (error) {
        this.#onError(error)
      }
    }
  }
}

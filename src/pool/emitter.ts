type Listener<Event> = (event: Event) => void

/** Listeners by the name of their event. They are called in order, must not throw, and are few. */
export class Emitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<Listener<never>>>()

  /** Calls `listener` for each event until the returned function is called. */
  on<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): () => void {
    const listeners = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, listeners.add(listener))
    return () => listeners.delete(listener)
  }

  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    // The set under `name` holds only listeners that `on` added for that name.
    for (const listener of this.#listeners.get(name) ?? []) (listener as Listener<Events[Name]>)(event)
  }
}

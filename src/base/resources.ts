/** Closes one resource; what it throws is collected. */
type Close = () => void | Promise<void>

interface Resource {
  readonly name: string
  readonly close: Close
}

/** A resource could not be closed. */
export class CloseError extends Error {
  override readonly name = 'CloseError'

  constructor(resource: string, cause: unknown) {
    super(`${resource} could not be closed: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
  }
}

/** Everything that was opened, in order, so that one place closes it: the newest first, each once, whatever the others do. */
export class ResourceStack {
  readonly #open: Resource[] = []
  #state: 'open' | 'closing' | 'closed' = 'open'
  #closing: Promise<void> | undefined

  /**
   * Opens resources with `open`, which puts each on the stack as soon as it is there. When it fails, everything that is
   * on the stack by then is closed and the error is thrown; `onCloseError` hears of what could not be closed, since the
   * first error is the one that counts.
   */
  static async guard<T>(
    open: (resources: ResourceStack) => Promise<T>,
    onCloseError: (error: unknown) => void,
    resources = new ResourceStack(),
  ): Promise<T> {
    try {
      return await open(resources)
    } catch (error) {
      await resources.closeAll().catch(onCloseError)
      throw error
    }
  }

  /** Takes over a resource. Once closing has begun it is closed next, and who opened it is told by an error to stop. */
  own(name: string, close: Close): void {
    this.#open.push({ name, close })
    if (this.#state === 'open') return
    if (this.#state === 'closed') {
      this.#closing = this.#closeAll()
      // Whoever closes the stack again is told of it.
      this.#closing.catch(() => {})
    }
    throw new Error(`${name} was opened while everything was being closed`)
  }

  /** Resolves when everything is closed, and gives every caller the same answer; rejects with a `CloseError` or several. */
  closeAll(): Promise<void> {
    this.#closing ??= this.#closeAll()
    return this.#closing
  }

  async #closeAll(): Promise<void> {
    const errors: CloseError[] = []
    this.#state = 'closing'
    for (let next = this.#open.pop(); next !== undefined; next = this.#open.pop()) {
      try {
        await next.close()
      } catch (error) {
        errors.push(new CloseError(next.name, error))
      }
    }
    this.#state = 'closed'
    if (errors.length === 1) throw errors[0]
    if (errors.length > 1) throw new AggregateError(errors, errors.map(({ message }) => message).join('; '))
  }
}

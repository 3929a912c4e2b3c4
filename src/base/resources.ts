/** Closes one resource; its error is collected. */
type Close = () => void | Promise<void>

interface Resource {
  readonly name: string
  readonly close: Close
}

/** Thrown when a resource could not be closed. */
export class CloseError extends Error {
  override readonly name = 'CloseError'

  constructor(resource: string, cause: unknown) {
    super(`${resource} could not be closed: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
  }
}

/** The resources that were opened, in order. They are closed newest first, each once, even if others fail to close. */
export class ResourceStack {
  readonly #open: Resource[] = []
  #state: 'open' | 'closing' | 'closed' = 'open'
  #closing: Promise<void> | undefined

  /**
   * Opens resources with `open`, which adds each to the stack as soon as it is open. If it fails, the resources on the
   * stack are closed and the error is thrown. `onCloseError` gets the errors of closing, because the first error is the
   * one that is thrown.
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

  /**
   * Adds a resource. If the stack is being closed, the resource is closed too and an error tells the caller to stop.
   */
  own(name: string, close: Close): void {
    this.#open.push({ name, close })
    if (this.#state === 'open') return
    if (this.#state === 'closed') {
      this.#closing = this.#closeAll()
      // The next call of `closeAll` returns the error.
      this.#closing.catch(() => {})
    }
    throw new Error(`${name} was opened while everything was being closed`)
  }

  /** Closes all resources. Every call returns the same promise, which rejects with one or several `CloseError`s. */
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

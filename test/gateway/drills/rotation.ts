import type { BalancedAnswer } from '../fleet/balancer.ts'

/** How often each gateway is asked whether it is ready, and how long it may take. */
const checkMs = 250
const checkTimeoutMs = 1_000

/** What says that another gateway, or this one a little later, can answer. */
const unavailable = -32_002

interface RotationOptions {
  /** Hears that a request was made again, at another gateway, since one said that it cannot answer now. */
  readonly onAgain: (reason: string) => void
}

/**
 * A balancer that sends each request to the next gateway that is ready, and one that a gateway did not take, or whose connection
 * broke, to the one after it. A client that is told -32002 asks again, as it should: it gets to another gateway.
 */
export class Rotation {
  readonly #urls: readonly string[]
  readonly #options: RotationOptions
  readonly #unready = new Set<string>()
  readonly #checks: NodeJS.Timeout[]
  #turn = 0

  constructor(urls: readonly string[], options: RotationOptions) {
    this.#urls = urls
    this.#options = options
    this.#checks = urls.map((url) => setInterval(() => void this.#check(url), checkMs))
  }

  /** The URL of the next gateway, for a connection that stays. */
  next(): string {
    return this.#at(this.#turn++)
  }

  async ask(method: string, params: readonly unknown[], minHeight = 0): Promise<BalancedAnswer> {
    const first = this.#turn++
    for (let attempt = 0; ; attempt++) {
      const isLast = attempt === this.#urls.length - 1
      try {
        const answer = await post(this.#at(first + attempt), method, params, minHeight)
        if (answer.error?.code !== unavailable || isLast) return answer
        this.#options.onAgain(`asked again: ${method} ${answer.error.message}`)
      } catch (error) {
        if (isLast) throw error
      }
    }
  }

  /** Sends a request to one gateway alone: one that may not be made twice. */
  askOnce(method: string, params: readonly unknown[]): Promise<BalancedAnswer> {
    return post(this.next(), method, params, 0)
  }

  close(): void {
    for (const check of this.#checks) clearInterval(check)
  }

  /** If none is ready all are asked. */
  #at(turn: number): string {
    const ready = this.#urls.filter((url) => !this.#unready.has(url))
    const urls = ready.length === 0 ? this.#urls : ready
    return urls[turn % urls.length] as string // the index is within the list
  }

  async #check(url: string): Promise<void> {
    const signal = AbortSignal.timeout(checkTimeoutMs)
    const isReady = await fetch(`${url}/ready`, { signal }).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) this.#unready.delete(url)
    else this.#unready.add(url)
  }
}

const post = async (
  url: string,
  method: string,
  params: readonly unknown[],
  minHeight: number,
): Promise<BalancedAnswer> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-perihelion-min-height': String(minHeight) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const answer = (await response.json()) as Omit<BalancedAnswer, 'height'>
  return { ...answer, height: Number(response.headers.get('x-perihelion-height')) }
}

import type { BalancedAnswer } from '../fleet/balancer.ts'

/**
 * A balancer that sends each request to the next gateway, and one that a gateway did not take, or whose connection broke,
 * to the one after it.
 */
export class Rotation {
  readonly #urls: readonly string[]
  #turn = 0

  constructor(urls: readonly string[]) {
    this.#urls = urls
  }

  /** The URL of the next gateway, for a connection that stays. */
  next(): string {
    return this.#at(this.#turn++)
  }

  #at(turn: number): string {
    return this.#urls[turn % this.#urls.length] as string // the index is within the list
  }

  async ask(method: string, params: readonly unknown[], minHeight = 0): Promise<BalancedAnswer> {
    const first = this.#turn++
    for (let attempt = 0; ; attempt++) {
      try {
        return await post(this.#at(first + attempt), method, params, minHeight)
      } catch (error) {
        if (attempt === this.#urls.length - 1) throw error
      }
    }
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

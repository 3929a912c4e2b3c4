import { RlpError } from '../../base/encoding/rlp.ts'
import { ChainError } from '../../chain/chainError.ts'
import type { ProvenLie } from '../../comet/data/provenLie.ts'
import { UpstreamError } from '../../comet/data/upstreamError.ts'
import { ProofError } from '../../light/state/proofFields.ts'
import { TrustError } from '../../light/trustError.ts'
import { LightError, unavailable } from '../lightError.ts'
import { type Endpoint, EndpointFailure, EndpointRefusal } from './endpoint.ts'

/** What an endpoint said that cannot be, and what shows it. */
export interface Lie {
  readonly endpoint: string
  readonly kind: string
  readonly problem: string
  /** What others can check: the signed header, or the request with its response. */
  readonly evidence: unknown
}

/** Thrown for a response that is proven wrong, or that nothing can prove. */
export class LieError extends LightError {
  override readonly name = 'LieError'
  readonly lie: Lie
  readonly #liar: Endpoint

  constructor(liar: Endpoint, lie: Lie) {
    super(
      unavailable('').code,
      `${lie.endpoint} gave a response that is not proven (${lie.kind}): ${lie.problem}`,
    )
    this.lie = lie
    this.#liar = liar
  }

  /** Who told it. */
  static liarOf(error: LieError): Endpoint {
    return error.#liar
  }
}

/** Thrown where validators signed two blocks of one height: nothing of the chain can be believed any more. */
export class ForkError extends LightError {
  override readonly name = 'ForkError'
  readonly evidence: unknown

  constructor(message: string, evidence: unknown) {
    super(unavailable('').code, message)
    this.evidence = evidence
  }
}

const isLie = (error: unknown): error is Error =>
  error instanceof UpstreamError || error instanceof ProofError || error instanceof RlpError

/** Returns what an endpoint answered, as it is proven; a response that is not proven is a lie with the request as evidence. */
export const askProven = async <Proven>(
  endpoint: Endpoint,
  method: string,
  params: readonly unknown[],
  prove: (answer: unknown) => Proven | Promise<Proven>,
): Promise<Proven> => {
  const answer = await endpoint.ask(method, params)
  try {
    return await prove(answer)
  } catch (error) {
    if (!isLie(error)) throw error
    const { kind, evidence } = error as Partial<ProvenLie>
    throw new LieError(endpoint, {
      endpoint: endpoint.name,
      kind: kind ?? 'forged answer',
      problem: error.message,
      evidence: evidence ?? { method, params, answer },
    })
  }
}

/** Waits for work with an endpoint, but not longer: many answers, each just in time, would hold up what waits for it. */
export const withinTurn = async <Result>(
  endpoint: Endpoint,
  turnMs: number,
  work: Promise<Result>,
): Promise<Result> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new EndpointFailure(endpoint.name, `it proved nothing within ${turnMs} ms`)),
      turnMs,
    )
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** The endpoints that are asked, the one that answered last first. An endpoint that lied is not asked again. */
export class Endpoints {
  #order: readonly Endpoint[]
  readonly #liars = new Map<Endpoint, Lie>()
  readonly #turnMs: number
  readonly #onLie: (lie: Lie) => void

  /** `turnMs` is how long one endpoint has for one piece of work, however many answers that takes. */
  constructor(endpoints: readonly Endpoint[], turnMs: number, onLie: (lie: Lie) => void) {
    this.#order = endpoints
    this.#turnMs = turnMs
    this.#onLie = onLie
  }

  get lies(): readonly Lie[] {
    return [...this.#liars.values()]
  }

  /** The endpoints that can be asked. */
  get usable(): readonly Endpoint[] {
    return this.#order.filter((endpoint) => !this.#liars.has(endpoint))
  }

  /** Has the work done with one endpoint after the other until one of them gives what is proven. */
  async first<Result>(work: (endpoint: Endpoint) => Promise<Result>): Promise<Result> {
    let failure: unknown
    for (const endpoint of this.usable) {
      try {
        const result = await withinTurn(endpoint, this.#turnMs, work(endpoint))
        if (failure !== undefined) this.#order = [endpoint, ...this.#order.filter((one) => one !== endpoint)]
        return result
      } catch (error) {
        const told = this.judge(endpoint, error)
        // What one endpoint rejects another may answer; a lie says less than what an honest one says.
        failure = failure === undefined || failure instanceof LieError ? told : failure
      }
    }
    if (failure !== undefined) throw failure
    const lies = this.lies.map(({ endpoint, problem }) => `${endpoint} (${problem})`)
    throw unavailable(`no endpoint is left to ask: ${lies.join(', ')}`)
  }

  /**
   * Asks one endpoint for something, and where it knows of none the others, so that no single one can hide it. Only the first
   * one's failure is thrown.
   */
  async find<Found>(
    first: Endpoint,
    ask: (endpoint: Endpoint) => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    const others = this.usable.filter((endpoint) => endpoint !== first)
    let found = await ask(first)
    for (const other of others) {
      if (found !== undefined) break
      found = await ask(other).catch((error: unknown) => this.judgeAside(other, error))
    }
    return found
  }

  /** Looks at the error of an endpoint that was asked beside another one: nothing waits for its response. */
  judgeAside(endpoint: Endpoint, error: unknown): undefined {
    try {
      this.judge(endpoint, error)
    } catch {
      // It is about nothing that was requested.
    }
  }

  /**
   * Returns the error of an endpoint, which is not asked again if it lied. Throws what is not about the endpoint: that has a
   * class of its own, and anything else is what a response made this code throw.
   */
  judge(endpoint: Endpoint, error: unknown): LightError {
    const { name } = endpoint
    if (error instanceof LieError) return this.#leave(LieError.liarOf(error), error)
    if (isLie(error)) {
      const { kind = 'forged answer', evidence } = error as Partial<ProvenLie>
      return this.#leave(
        endpoint,
        new LieError(endpoint, { endpoint: name, kind, problem: error.message, evidence }),
      )
    }
    if (error instanceof EndpointFailure || error instanceof EndpointRefusal) return error
    // It may be the clock of this machine, or what is trusted.
    if (error instanceof TrustError) return unavailable(`${name}: ${error.message}`)
    if (error instanceof LightError || error instanceof ChainError) throw error
    const failure = new EndpointFailure(name, `its response cannot be used: ${(error as Error).message}`)
    failure.cause = error
    return failure
  }

  #leave(endpoint: Endpoint, error: LieError): LieError {
    // Requests that were under way find more lies: one is enough.
    if (!this.#liars.has(endpoint)) {
      this.#liars.set(endpoint, error.lie)
      this.#onLie(error.lie)
    }
    return error
  }
}

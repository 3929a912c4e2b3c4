import { type RecordedQuery, requestName } from './recordingFile.ts'

/** Facts that hold at each height, also at those at which nobody asked for them. */
const lasting =
  /\/(?:Params|Config|ValidatorAccount|GetNodeInfo|Bech32Prefix|CosmosAccount|GlobalMinGasPrice|Status)$/

const keyOf = (path: string, data: string, height: number, prove: boolean): string =>
  [path, data, height, prove].join(' ')

/** The queries that one program of a recorded chain was asked. */
export class RecordedQueries {
  readonly #queries = new Map<string, RecordedQuery>()
  readonly #facts = new Map<string, RecordedQuery>()
  readonly #paths = new Set<string>()

  constructor(queries: readonly RecordedQuery[]) {
    for (const query of queries) {
      const { path, data, height, prove, response } = query
      this.#queries.set(keyOf(path, data, height, prove), query)
      if (response.code !== 6) this.#paths.add(path)
      if (lasting.test(path) && response.code === 0) this.#facts.set(`${path} ${data}`, query)
    }
  }

  /** Whether there is such a query at all. */
  knows(path: string): boolean {
    return this.#paths.has(path)
  }

  find(
    path: string,
    request: Uint8Array,
    { height, prove, isNewest }: { height: number; prove: boolean; isNewest: boolean },
  ): RecordedQuery | undefined {
    const data = requestName(Buffer.from(request).toString('hex'))
    return (
      this.#queries.get(keyOf(path, data, height, prove)) ??
      // What was asked of the newest state then is asked of the newest state now.
      (isNewest ? this.#queries.get(keyOf(path, data, 0, prove)) : undefined) ??
      this.#facts.get(`${path} ${data}`)
    )
  }
}

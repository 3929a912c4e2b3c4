import type { PerihelionNetwork } from './network.ts'
import type { RpcRequest } from './requests.ts'

/** What came of asking a node and its gateway the same. */
export interface Comparison {
  /** By method: the first answers that differ. */
  readonly differences: ReadonlyMap<string, string>
  /** By method: how often it was asked. */
  readonly counts: ReadonlyMap<string, number>
  /** Methods that gave something that could be wrong. */
  readonly told: ReadonlySet<string>
  readonly total: number
  readonly different: number
}

/** A result that is not empty. A trace may have errors inside it. */
const isTelling = (answer: string): boolean =>
  !/^\{"jsonrpc":"2\.0","id":[^,]*,"error":/.test(answer) &&
  !/"result":(?:null|\[\]|\{\}|false|"0x")\}$/.test(answer)

/** Both around the place where they part. */
const describeDifference = (params: readonly unknown[], expected: string, actual: string): string => {
  let at = 0
  while (at < expected.length && expected[at] === actual[at]) at++
  const around = (text: string): string => text.slice(Math.max(0, at - 200), at + 300)
  return `${JSON.stringify(params).slice(0, 300)}\n  node    ${around(expected)}\n  gateway ${around(actual)}`
}

/** Asks both, one request after the other, and compares the answers byte by byte. */
export const compareAnswers = async (
  { node, gateway }: Pick<PerihelionNetwork, 'node' | 'gateway'>,
  requests: readonly RpcRequest[],
  onProgress: (done: number, different: number) => void = () => {},
): Promise<Comparison> => {
  const differences = new Map<string, string>()
  const counts = new Map<string, number>()
  const told = new Set<string>()
  let different = 0
  for (const [index, [method, ...params]] of requests.entries()) {
    const [expected, actual] = await Promise.all([node.ask(method, params), gateway.ask(method, params)])
    counts.set(method, (counts.get(method) ?? 0) + 1)
    if (isTelling(expected)) told.add(method)
    if (expected !== actual) {
      different++
      if (!differences.has(method)) differences.set(method, describeDifference(params, expected, actual))
    }
    onProgress(index + 1, different)
  }
  return { differences, counts, told, total: requests.length, different }
}

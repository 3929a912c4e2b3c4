import type { RpcClient } from '../../support/rpc/rpcClient.ts'
import { tracers } from './tracers.ts'

export interface TracedTransaction {
  readonly tracer: string
  readonly hash: string
  readonly output: unknown
}

interface Entry {
  readonly txHash: string
  readonly result?: unknown
  readonly error?: string
}

/** The words of the library that looks at blobs' proofs follow geth's own; every library has others. */
const proofFailure = /^error verifying kzg proof: .*$/

const withoutLibraryWords = (value: unknown): unknown => {
  if (typeof value === 'string') return value.replace(proofFailure, 'error verifying kzg proof')
  if (Array.isArray(value)) return value.map(withoutLibraryWords)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withoutLibraryWords(member)]),
  )
}

/** Whether a tracer that geth has as a script failed there, where ours does not. */
export const isScriptFailure = (output: unknown): boolean =>
  JSON.stringify(output).startsWith('{"error":"tracer accessed out of bound stack')

/** Traces every block of a chain with every tracer, and hands over each transaction's output. */
export const traceChain = async (
  client: RpcClient,
  take: (traced: TracedTransaction) => void,
): Promise<void> => {
  const head = Number(await client.call('eth_blockNumber'))
  for (let number = 1; number <= head; number++)
    for (const [tracer, config] of Object.entries(tracers)) {
      const traces = await client.call<readonly Entry[]>(
        'debug_traceBlockByNumber',
        `0x${number.toString(16)}`,
        config,
      )
      for (const { txHash, result, error } of traces)
        take({ tracer, hash: txHash, output: withoutLibraryWords(error === undefined ? result : { error }) })
    }
}

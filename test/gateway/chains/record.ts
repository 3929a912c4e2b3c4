import { writeFileSync } from 'node:fs'
import { postJson } from '../../support/clients.ts'
import {
  compressRecording,
  type RecordedHeight,
  type RecordedNode,
  type RecordedPair,
  type RecordedQuery,
} from './recordingFile.ts'

interface RecordOptions {
  readonly url: string
  readonly file: string
  readonly first: number
  readonly last: number
  readonly node: Omit<RecordedNode, 'network' | 'engine'>
}

interface Validators {
  readonly validators: readonly { readonly address: string; readonly voting_power: string }[]
}

/** Writes a recording: blocks of a node with what proves them, the queries and the pairs. */
export const writeRecording = async (
  { url, file, first, last, node }: RecordOptions,
  queries: readonly RecordedQuery[],
  pairs: readonly RecordedPair[],
): Promise<number> => {
  const ask = async <T>(method: string, height?: number): Promise<T> => {
    const params = height === undefined ? {} : { height: String(height) }
    const reply = JSON.parse(
      await postJson(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })),
    ) as { readonly result?: T; readonly error?: unknown }
    if (reply.result === undefined) throw new Error(`${method} ${height}: ${JSON.stringify(reply.error)}`)
    return reply.result
  }
  const { node_info: info } = await ask<{ node_info: { network: string; version: string } }>('status')
  const heights: RecordedHeight[] = []
  let known = ''
  for (let height = first; height <= last; height++) {
    const validators = await ask<Validators>('validators', height)
    const set = JSON.stringify(validators.validators.map((one) => [one.address, one.voting_power]))
    heights.push({
      height,
      block: await ask('block', height),
      results: await ask('block_results', height),
      commit: await ask('commit', height),
      consensusParams: await ask('consensus_params', height),
      ...(set === known ? {} : { validators }),
    })
    known = set
  }
  const compressed = compressRecording({
    node: { network: info.network, engine: info.version, ...node },
    heights,
    queries: queries.filter(({ height }) => height <= last),
    pairs,
  })
  writeFileSync(file, compressed)
  return compressed.length
}

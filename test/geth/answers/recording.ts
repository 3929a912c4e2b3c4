import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import type { RpcResponse } from '../../support/rpc/rpcClient.ts'
import { canonical, digest } from '../traces/compare.ts'

/** An answer; of a long result the digest alone. */
export interface KnownAnswer extends RpcResponse {
  readonly digest?: string
}

export interface Recording {
  /** Which geth said it. */
  readonly version: string
  readonly answers: Readonly<Record<string, KnownAnswer>>
}

const file = fileURLToPath(new URL('answers.json.br', import.meta.url))
const longResult = 1_200

export const toKnown = ({ result, error }: RpcResponse): KnownAnswer => {
  if (error !== undefined) return { error }
  return canonical(result).length > longResult ? { digest: digest(result) } : { result: result ?? null }
}

export const isSame = (known: KnownAnswer, own: RpcResponse): boolean =>
  canonical(known) === canonical(toKnown(own))

export const loadRecording = (): Recording =>
  JSON.parse(brotliDecompressSync(readFileSync(file)).toString()) as Recording // as it was saved

export const saveRecording = (recording: Recording): void =>
  writeFileSync(file, brotliCompressSync(Buffer.from(JSON.stringify(recording))))

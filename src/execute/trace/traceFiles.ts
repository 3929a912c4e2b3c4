import { randomBytes } from 'node:crypto'
import { closeSync, lstatSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { writeAll } from '../../base/files/writeAll.ts'
import { headerHash } from '../../chain/block/header.ts'
import { jsonLogger } from '../../evm/tracers/jsonLogger.ts'
import { TraceOutput } from '../../evm/tracers/output.ts'
import { TraceError } from '../../evm/tracers/tracer.ts'
import type { BlockReplayer, ReplayedBlock } from './blockReplayer.ts'
import { traceTooLarge } from './spool.ts'
import type { TraceDeadline } from './traceDeadline.ts'
import type { TraceTarget, TraceTask } from './traceTask.ts'

/** Writes geth's standard log of each transaction, or of the one in `only`, to a separate file. */
export const writeTraceFiles = (
  replay: BlockReplayer,
  { header, rawTransactions }: Pick<ReplayedBlock, 'header' | 'rawTransactions'>,
  { folder, only }: Extract<TraceTarget, { readonly kind: 'files' }>,
  { options, maxBytes }: TraceTask,
  clock: TraceDeadline,
): readonly string[] => {
  const hashes = Array.from(rawTransactions.keys(), (index) => replay.hashOf(index))
  if (only !== undefined && !hashes.some((hash) => equalBytes(hash, only)))
    throw new TraceError(`transaction ${toHex(only)} not found in block`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // A link would lead what is written out of the home.
  if (!lstatSync(folder).isDirectory()) throw new TraceError(`${folder} is not a folder`)
  const blockName = toHex(headerHash(header).subarray(0, 4))
  const paths: string[] = []
  for (const [index, hash] of hashes.entries()) {
    clock.restart()
    if (only !== undefined && !equalBytes(hash, only)) {
      replay.execute(index)
      continue
    }
    const suffix = options.overrides === undefined ? '' : 'alt-'
    const name = `block_${blockName}-${index}-${toHex(hash.subarray(0, 4))}-${suffix}${randomBytes(5).toString('hex')}`
    const path = join(folder, name)
    paths.push(path)
    writeFile(path, maxBytes, (output) => {
      replay.execute(index, jsonLogger(options, output))
    })
    if (only !== undefined) break
  }
  return paths
}

const writeFile = (path: string, maxBytes: number, write: (output: TraceOutput) => void): void => {
  const file = openSync(path, 'wx', 0o600)
  try {
    let size = 0
    const output = new TraceOutput({
      write: (bytes) => {
        size += bytes.length
        if (size > maxBytes) throw traceTooLarge(maxBytes)
        writeAll(file, bytes)
      },
    })
    write(output)
    output.flush()
  } finally {
    closeSync(file)
  }
}

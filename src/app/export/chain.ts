import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { writeFileAtomically } from '../../base/files/atomicFile.ts'
import { type Header, headerHash } from '../../chain/block/header.ts'
import { type StateStore, UnknownHeightError } from '../../state/stateStore.ts'
import type { BlockStoreReader } from '../../store/blockStoreReader.ts'
import type { StoredHead } from '../../store/tables/chainMeta.ts'
import { renderGenesis } from './genesis.ts'

/** Thrown if the whole chain cannot be exported; the message is one line for the operator. */
export class ExportError extends Error {
  override readonly name = 'ExportError'
}

/** The number of bytes that are collected for one write. */
const writeBufferBytes = 2 ** 20

/** Writes `chain.rlp` (from block 1 on) and `genesis.json`. A file gets its name when it is complete. */
export const exportChain = async (
  blocks: BlockStoreReader,
  state: StateStore,
  folder: string,
  onBlock: (number: number, head: number) => void = () => {},
): Promise<StoredHead> => {
  const head = blocks.head()
  if (head === undefined) throw new ExportError('the home has no chain')
  if (blocks.meta.fork() !== undefined)
    throw new ExportError(
      'this chain was forked from a remote one, whose state it does not have: nobody could execute its blocks from the first on',
    )
  const oldest = blocks.oldestComplete()
  if (oldest > 0)
    throw new ExportError(
      `the blocks below ${oldest} are not kept here (min-retain-blocks, or the snapshot that this home began with): a chain is exported from its first block on`,
    )
  const modified = blocks.meta.modifiedFrom()
  if (modified !== undefined)
    throw new ExportError(
      `dev methods changed this chain: block ${modified} does not follow from the one before it by Ethereum's rules, and no other node could execute it`,
    )
  await mkdir(folder, { recursive: true })
  const times = { repeat: false }
  await writeFileAtomically(join(folder, 'chain.rlp'), joinParts(chainBytes(blocks, head, times, onBlock)))
  const genesis = genesisBytes(blocks, state, times.repeat)
  await writeFileAtomically(join(folder, 'genesis.json'), joinParts(genesis))
  return head
}

function* chainBytes(
  blocks: BlockStoreReader,
  head: StoredHead,
  times: { repeat: boolean },
  onBlock: (number: number, head: number) => void,
): Generator<Uint8Array> {
  let before: { readonly header: Header; readonly hash: Uint8Array } | undefined
  for (let number = 0; number <= head.number; number++) {
    const header = blocks.header(number)
    const rlp = number === 0 ? undefined : blocks.blockRlp(number)
    if (header === undefined || (number > 0 && rlp === undefined))
      throw new ExportError(`block ${number} is not kept`)
    if (before !== undefined && !equalBytes(before.hash, header.parentHash))
      throw new ExportError('the head of the chain was set back meanwhile')
    if (header.timestamp === before?.header.timestamp) times.repeat = true
    before = { header, hash: headerHash(header) }
    onBlock(number, head.number)
    if (rlp !== undefined) yield rlp
  }
}

function* genesisBytes(
  blocks: BlockStoreReader,
  state: StateStore,
  timesRepeat: boolean,
): Generator<Uint8Array> {
  const header = blocks.header(0)
  const config = blocks.meta.config()
  if (header === undefined || config === undefined) throw new ExportError('the home has no chain')
  const reader = openGenesisState(state)
  for (const text of renderGenesis(header, config, reader, timesRepeat)) yield Buffer.from(text)
}

const openGenesisState = (state: StateStore) => {
  try {
    return state.reader(0)
  } catch (error) {
    if (!(error instanceof UnknownHeightError)) throw error
    throw new ExportError(`the state of block 0 is not kept: ${error.oldest ?? 'none'} is the earliest`)
  }
}

/** Joins small parts into fewer, larger ones. */
function* joinParts(parts: Iterable<Uint8Array>): Generator<Uint8Array> {
  let buffered: Uint8Array[] = []
  let length = 0
  for (const part of parts) {
    buffered.push(part)
    length += part.length
    if (length < writeBufferBytes) continue
    yield Buffer.concat(buffered)
    buffered = []
    length = 0
  }
  yield Buffer.concat(buffered)
}

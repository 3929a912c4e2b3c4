import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { equalBytes } from '../../../base/encoding/bytes.ts'
import { readFields, WireCursor, type WireField } from '../../../base/encoding/protobuf/protoReader.ts'
import { isLater, type SignState } from './signState.ts'

/** The steps of votes in a round, as the record of signatures counts them. */
const voteSteps: Readonly<Record<number, number>> = { 1: 2, 2: 3 }

/** A checksum and a length stand before each message. */
const headBytes = 8
/** How many files are read at most, the newest first: each has ten megabytes, and the votes of many heights. */
const maxFiles = 2

/**
 * Returns the last step for which this home itself has signed, by CometBFT's log of consensus (`cs.wal`), in which it writes
 * its own votes after it has recorded and signed them; undefined if the log has none. Votes that peers sent do not count:
 * they are in it before they were checked. Nor do proposals, which do not say whose key signed them: it may be the one before, and
 * a vote for its own proposal follows at once. `address` is that of the key with which the home signs now.
 */
export const lastOwnStep = (folder: string, address: Uint8Array): SignState | undefined => {
  for (const path of logFiles(join(folder, 'data', 'cs.wal')).slice(0, maxFiles)) {
    let last: SignState | undefined
    for (const message of messagesOf(readFileSync(path))) {
      const step = readOwnStep(message, address)
      if (step !== undefined && (last === undefined || isLater(step, last))) last = step
    }
    if (last !== undefined) return last
  }
  return undefined
}

/** Returns the paths of the log's files, the newest first: `wal`, and before it those with numbers. */
const logFiles = (folder: string): readonly string[] => {
  let names: readonly string[]
  try {
    names = readdirSync(folder)
  } catch {
    return []
  }
  const older = names.filter((name) => /^wal\.\d+$/.test(name)).sort((a, b) => indexOf(b) - indexOf(a))
  return [...names.filter((name) => name === 'wal'), ...older].map((name) => join(folder, name))
}

const indexOf = (name: string): number => Number(name.slice('wal.'.length))

/** Yields the messages of a file, up to an end that was torn. */
function* messagesOf(bytes: Uint8Array): Generator<Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let at = 0; at + headBytes <= bytes.length; ) {
    const end = at + headBytes + view.getUint32(at + 4)
    if (end > bytes.length) return
    yield bytes.subarray(at + headBytes, end)
    at = end
  }
}

/** The numbers of fields, as CometBFT's protobuf has them. */
const fields = { message: 2, received: 2, content: 1, peer: 2, vote: 6, inner: 1 } as const

const readOwnStep = (message: Uint8Array, address: Uint8Array): SignState | undefined => {
  const received = inside(inside(message, fields.message), fields.received)
  if (received === undefined || (inside(received, fields.peer)?.length ?? 0) > 0) return undefined
  const content = inside(received, fields.content)
  const vote = inside(inside(content, fields.vote), fields.inner)
  const signer = inside(vote, 6)
  if (vote === undefined || signer === undefined || !equalBytes(signer, address)) return undefined
  return toStep(vote, voteSteps[numberAt(vote, 1)])
}

const toStep = (message: Uint8Array, step: number | undefined): SignState | undefined => {
  const [height, round] = [numberAt(message, 2), numberAt(message, 3)]
  return step === undefined ? undefined : { height, round, step }
}

const find = (message: Uint8Array | undefined, number: number): WireField | undefined =>
  message && readFields(message)?.find((field) => field.number === number)

const inside = (message: Uint8Array | undefined, number: number): Uint8Array | undefined =>
  find(message, number)?.value

/** Returns an integer of a message; zero where it has none. */
const numberAt = (message: Uint8Array, number: number): number => {
  const field = find(message, number)
  if (field === undefined) return 0
  const cursor = new WireCursor(field.bytes)
  cursor.varint(field.bytes.length)
  return cursor.varint(field.bytes.length)
}

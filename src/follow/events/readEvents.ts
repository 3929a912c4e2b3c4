import { readFileSync } from 'node:fs'
import { type AbiItem, describeItem, signatureOf } from '../../base/abi/item.ts'
import { parseAbi } from '../../base/abi/parse.ts'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { FollowError } from '../followError.ts'
import type { EventRows } from './eventRows.ts'
import { eventName, eventTable } from './eventTable.ts'

/** No compiler writes a longer one. */
const maxAbiBytes = 20_000_000
/** Each is a table with partitions. */
const maxEvents = 500

const readItems = (path: string): readonly AbiItem[] => {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new FollowError(`--abi: ${path} could not be read: ${(error as NodeJS.ErrnoException).code}`)
  }
  if (text.length > maxAbiBytes) throw new FollowError(`--abi: ${path} is too large for an ABI`)
  const items = parseAbi(text)
  if (items === undefined)
    throw new FollowError(
      `--abi: ${path} holds no ABI: give the JSON of a compiler, or a file with a member abi`,
    )
  return items.filter(({ kind }) => kind === 'event')
}

/** Two events of one signature differ by how many parameters are topics: ERC-20 and ERC-721 share the hash of Transfer. */
export const eventId = (event: AbiItem): string =>
  `${toHex(keccak256(new TextEncoder().encode(signatureOf(event))))}/${1 + event.inputs.filter(({ indexed }) => indexed).length}`

/** Returns the tables of events, each event once. */
export const toEvents = (items: readonly AbiItem[]): readonly EventRows[] => {
  const events = new Map(items.toReversed().map((event) => [eventId(event), event]))
  const names = new Map<string, number>()
  for (const event of events.values()) names.set(eventName(event), (names.get(eventName(event)) ?? 0) + 1)
  return [...events].map(([id, event]) => ({
    id,
    event,
    table: eventTable(event, id, names.get(eventName(event)) !== 1),
  }))
}

/** Reads files of ABIs, and returns the tables of their events. */
export const readEvents = (paths: readonly string[]): readonly EventRows[] => {
  const events = toEvents(paths.flatMap(readItems))
  if (events.length === 0) throw new FollowError('--abi: the files hold no events')
  if (events.length > maxEvents)
    throw new FollowError(`--abi: the files hold ${events.length} events, at most ${maxEvents} are taken`)
  return events
}

/** The event in the words of a message. */
export const namedEvent = ({ event }: EventRows): string => describeItem(event)

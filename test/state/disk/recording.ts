import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../../support/random.ts'

/** One call of the recorded process: a write, one that is synced as it is made, a sync, or an acknowledgement. */
export type RecordedEvent =
  | { readonly kind: 'write' | 'synced write'; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly size: number }
  | { readonly kind: 'sync' }
  | { readonly kind: 'ack'; readonly height: number; readonly root: string }

export interface Recording {
  readonly events: readonly RecordedEvent[]
  /** The file as the process left it. */
  readonly file: Buffer
}

/** Runs the worker and returns everything that it wrote, in order. */
export const recordWrites = (
  folder: string,
  shim: string,
  worker: string,
  { blocks, mode }: { readonly blocks: number; readonly mode: 'right' | 'unsynced' },
): Recording => {
  const path = join(folder, `${mode}.mdb`)
  const log = join(folder, `${mode}.log`)
  const { status, stderr } = spawnSync(
    process.execPath,
    [worker, path, join(folder, `${mode}.acks`), String(blocks), mode],
    {
      encoding: 'utf8',
      env: { ...process.env, LD_PRELOAD: shim, SHIM_FILE: '.mdb', SHIM_LOG: log, SHIM_ACKS: '.acks' },
    },
  )
  if (status !== 0) throw new Error(`the worker ended with ${status}: ${stderr}`)
  return { events: parseLog(readFileSync(log)), file: readFileSync(path) }
}

const parseLog = (log: Buffer): RecordedEvent[] => {
  const events: RecordedEvent[] = []
  for (let at = 0; at < log.length; ) {
    const kind = String.fromCharCode(log[at] as number)
    const offset = Number(log.readBigUInt64LE(at + 1))
    const length = log.readUInt32LE(at + 9)
    const hasBytes = kind !== 's' && kind !== 't'
    const bytes = log.subarray(at + 13, at + 13 + (hasBytes ? length : 0))
    at += 13 + bytes.length
    if (kind === 'w' || kind === 'd')
      events.push({ kind: kind === 'w' ? 'write' : 'synced write', offset, bytes })
    else if (kind === 't') events.push({ kind: 'truncate', size: offset })
    else if (kind === 's') events.push({ kind: 'sync' })
    else {
      const [height = '', root = ''] = bytes.toString().trim().split(' ')
      events.push({ kind: 'ack', height: Number(height), root })
    }
  }
  return events
}

/** What became of the writes that no sync had made safe when the power went. */
export const cutKinds = ['dropped', 'kept', 'subset', 'torn at 512', 'torn at 2048'] as const
export type CutKind = (typeof cutKinds)[number]

type Write = Extract<RecordedEvent, { readonly kind: 'write' | 'synced write' }>
type Change = Write | Extract<RecordedEvent, { readonly kind: 'truncate' }>

/** The file as it grows, and what of it is safe. Cuts are asked for in the order of the events. */
export class DiskModel {
  readonly #events: readonly RecordedEvent[]
  #safe: Buffer = Buffer.alloc(0)
  #unsafe: Change[] = []
  #next = 0

  constructor(events: readonly RecordedEvent[]) {
    this.#events = events
  }

  /** Returns the file after a power cut just before event `at`; that write may be under way. */
  cut(at: number, kind: CutKind, random: Random): Buffer {
    while (this.#next < at) this.#step(this.#events[this.#next++] as RecordedEvent)
    const running = this.#events[at]
    const pending = running && 'bytes' in running ? [...this.#unsafe, running] : this.#unsafe
    switch (kind) {
      case 'dropped':
        return Buffer.from(this.#safe)
      case 'kept':
        return applyAll(this.#safe, pending)
      case 'subset':
        return applyAll(
          this.#safe,
          pending.filter(() => random.chance(0.5)),
        )
      default: {
        const size = kind === 'torn at 512' ? 512 : 2_048
        const pieces = pending.flatMap((event): readonly Change[] =>
          'bytes' in event ? split(event, size) : [event],
        )
        return applyAll(
          this.#safe,
          pieces.filter(() => random.chance(0.5)),
        )
      }
    }
  }

  #step(event: RecordedEvent): void {
    if (event.kind === 'write' || event.kind === 'truncate') this.#unsafe.push(event)
    else if (event.kind === 'synced write') {
      // Alone: what was written before it is no safer for it.
      this.#safe = applyAll(this.#safe, [event])
      this.#unsafe.push(event)
    } else if (event.kind === 'sync') {
      this.#safe = applyAll(this.#safe, this.#unsafe)
      this.#unsafe = []
    }
  }
}

/** Splits a write where the sectors of the disk end; each part is written or not. */
const split = ({ kind, offset, bytes }: Write, size: number): Write[] => {
  const parts: Write[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + size - ((offset + at) % size))
    parts.push({ kind, offset: offset + at, bytes: bytes.subarray(at, end) })
    at = end
  }
  return parts
}

const applyAll = (file: Buffer, events: readonly Change[]): Buffer => {
  let size = file.length
  for (const event of events)
    size = 'bytes' in event ? Math.max(size, event.offset + event.bytes.length) : event.size
  const result = Buffer.alloc(Math.max(size, file.length))
  file.copy(result)
  for (const event of events) if ('bytes' in event) event.bytes.copy(result, event.offset)
  return result.subarray(0, size)
}

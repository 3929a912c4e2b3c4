import { toHex } from '../../base/encoding/hex.ts'
import type { EnterEvent, Tracer } from '../../evm/types.ts'
import { type CallEnds, toCallPostings } from '../../store/index/blockPostings.ts'
import { PostingLists } from '../../store/index/postingLists.ts'
import type { PostingListUpdate } from '../../store/index/postingTable.ts'
import type { TraceDeadline } from './traceDeadline.ts'
import type { TraceSources } from './traceSources.ts'
import type { TraceTask } from './traceTask.ts'

/** Collects the addresses at the ends of a transaction's calls: all that a filter of traces can match, and few others. */
class CallEndsTracer implements Tracer, CallEnds {
  readonly #callers = new Map<string, Uint8Array>()
  readonly #callees = new Map<string, Uint8Array>()

  get callers(): Iterable<Uint8Array> {
    return this.#callers.values()
  }

  get callees(): Iterable<Uint8Array> {
    return this.#callees.values()
  }

  enter({ from, to, isPrecompile, depth, value }: EnterEvent): void {
    // The calls that Parity does not list.
    if (isPrecompile && depth > 0 && value === 0n) return
    this.#callers.set(toHex(from), from)
    this.#callees.set(toHex(to), to)
  }
}

/** Returns the postings of the calls of consecutive blocks, the first of which follows the task's block. */
export const collectCallEnds = (
  sources: TraceSources,
  task: TraceTask,
  count: number,
  clock: TraceDeadline,
): readonly PostingListUpdate[] => {
  const lists = new PostingLists()
  sources.parentState(task)
  for (let height = task.block.height + 1; height <= task.block.height + count; height++) {
    const block = sources.storedAt(height)
    // Most blocks of a quiet chain have nothing that would have to be executed.
    if (block.rawTransactions.length === 0 && block.header.difficulty === 0n) continue
    const replay = sources.replay(task, block, clock, true)
    const transactions = Array.from(block.rawTransactions.keys(), (index): CallEnds => {
      clock.restart()
      const ends = new CallEndsTracer()
      replay.execute(index, ends)
      return ends
    })
    const rewarded = sources.rewards(block.header, replay.fork).map(({ address }) => address)
    // Rewards are in no transaction; they count as one after the last.
    const all = rewarded.length === 0 ? transactions : [...transactions, { callers: [], callees: rewarded }]
    lists.add(toCallPostings(height, all))
  }
  return lists.updates()
}

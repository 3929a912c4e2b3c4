import { inTime } from '../../base/async/maybePromise.ts'
import type { BlockSource, NativeBlockWithResults } from './blockSource.ts'

/** The heights that one request to a source covers, and how many such spans of it are on their way. */
const spanBlocks = 32
const spansPerSource = 2
/** How long the blocks of a helper are waited for before the lead is asked for them too. */
const defaultPatienceMs = 2_000

/**
 * If fewer blocks are requested ahead, they are not fetched from several sources: spans of them would fill the memory, and
 * their transport, not the wait for it, is what takes the time.
 */
export const minSharedPrefetch = 64

type Source = Pick<BlockSource, 'prefetch' | 'stream'>

interface Span {
  readonly source: Source
  readonly to: number
  readonly blocks: Promise<readonly NativeBlockWithResults[] | undefined>
}

interface Sources {
  /** The one that is followed. What another cannot give is asked of it, and what it cannot give ends the stream. */
  readonly lead: Source
  readonly helpers: readonly Source[]
}

/** How far blocks are fetched ahead of the consumer. */
const windowOf = ({ helpers }: Sources): number => (helpers.length + 1) * spansPerSource * spanBlocks

/** Fetches a span; undefined if its blocks became so large that a few of them at a time are enough in memory. */
const collect = async (source: Source, from: number, to: number) => {
  const found: NativeBlockWithResults[] = []
  for await (const pair of source.stream(from, to)) {
    if (source.prefetch < minSharedPrefetch) return undefined
    found.push(pair)
  }
  return found
}

/**
 * Yields the blocks of a range of heights in their order, fetched from several sources at once. A source gets its next span
 * when it has given one, so that a fast one gives more. A helper that fails, that is waited for too long, or whose blocks are
 * large gets no more requests; whoever the blocks are of, they must be verified, and which source has lied is not known here.
 */
export async function* streamShared(
  sources: Sources,
  from: number,
  to: number,
  patienceMs = defaultPatienceMs,
): AsyncGenerator<NativeBlockWithResults> {
  const { lead, helpers } = sources
  const spans = new Map<number, Span>()
  const idle = new Map([lead, ...helpers].map((source) => [source, spansPerSource]))
  const window = windowOf(sources)
  let [next, consumed] = [from, from]
  let isOver = false
  const start = (source: Source): void => {
    const end = Math.min(to, next + spanBlocks - 1)
    const fetched = collect(source, next, end)
    // A failure of the lead is met when the blocks are asked of it again.
    const blocks = fetched.catch(() => undefined)
    void blocks.then(() => {
      const free = idle.get(source)
      if (free !== undefined) idle.set(source, free + 1)
      assign()
    })
    spans.set(next, { source, to: end, blocks })
    next = end + 1
  }
  const assign = (): void => {
    // One span each, and then the second: the first ones come from different sources.
    for (let round = 0; round < spansPerSource; round++)
      for (const [source, free] of idle) {
        if (isOver || next > to || next >= consumed + window || lead.prefetch < minSharedPrefetch) return
        if (free <= 0) continue
        idle.set(source, free - 1)
        start(source)
      }
  }
  const take = async ({ source, blocks }: Span): Promise<readonly NativeBlockWithResults[] | undefined> => {
    if (source === lead) return blocks
    const found = await inTime(blocks, idle.has(source) ? patienceMs : 0)
    if (found === undefined) idle.delete(source)
    return found
  }
  try {
    assign()
    while (consumed <= to) {
      const span = spans.get(consumed)
      const end = span?.to ?? Math.min(to, consumed + spanBlocks - 1)
      spans.delete(consumed)
      next = Math.max(next, end + 1)
      yield* (span && (await take(span))) ?? lead.stream(consumed, end)
      consumed = end + 1
      assign()
    }
  } finally {
    isOver = true
  }
}

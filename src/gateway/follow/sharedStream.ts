import type { BlockSource, NativeBlockWithResults } from './blockSource.ts'

/** The heights that a source is asked for at a time, and how many such spans of it are on their way. */
const spanBlocks = 32
const spansPerSource = 2
/** How long the blocks of a helper are waited for before the lead is asked for them too. */
const defaultPatienceMs = 2_000

interface Span {
  readonly source: BlockSource
  readonly to: number
  readonly blocks: Promise<readonly NativeBlockWithResults[] | undefined>
}

interface Sources {
  /** The one that is followed. What another cannot give is asked of it, and what it cannot give ends the stream. */
  readonly lead: BlockSource
  readonly helpers: readonly BlockSource[]
}

/** How far blocks are fetched ahead of the consumer. */
const windowOf = ({ helpers }: Sources): number => (helpers.length + 1) * spansPerSource * spanBlocks

const collect = async (blocks: AsyncIterable<NativeBlockWithResults>) => {
  const found: NativeBlockWithResults[] = []
  for await (const pair of blocks) found.push(pair)
  return found
}

/**
 * Yields the blocks of a range of heights in their order, fetched from several sources at once. A source gets its next span
 * when it has given one, so that a fast one gives more. A helper that fails, or that is waited for too long, is not asked
 * any more; whoever the blocks are of, they have to be verified, and which source has lied is not known here.
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
  const start = (source: BlockSource): void => {
    const end = Math.min(to, next + spanBlocks - 1)
    const fetched = collect(source.stream(next, end))
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
        if (isOver || next > to || next >= consumed + window) return
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
      // All spans before it are there, and whoever gave the last of them is free in a moment.
      if (span === undefined) await Promise.resolve()
      else {
        spans.delete(consumed)
        yield* (await take(span)) ?? lead.stream(consumed, span.to)
        consumed = span.to + 1
        assign()
      }
    }
  } finally {
    isOver = true
  }
}

/** Returns undefined if it takes too long. */
const inTime = async <T>(work: Promise<T>, milliseconds: number): Promise<T | undefined> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { group } from '../../format/numbers.ts'
import { formatTime } from '../../format/time.ts'
import type { BlockSummary } from '../../live/blocks.ts'
import { recentBlocks } from '../../live/live.ts'
import { theme } from '../../page/theme.ts'
import { useStore } from '../../state/store.ts'
import { texts } from '../../texts/texts.ts'
import { showFigure, showTicks, type Units } from './figures.ts'
import { heightFor, withoutGaps } from './gaps.ts'

interface ChartKind extends Units {
  readonly title: string
  readonly read: (block: BlockSummary, before: BlockSummary | undefined) => number | null
  readonly isBars?: boolean
  /** Whether single figures may be out of all proportion to the others, which are to be told apart nevertheless. */
  readonly hasGaps?: boolean
}

const kinds: readonly ChartKind[] = [
  {
    title: texts.names.gasUsed,
    unit: '%',
    read: (block) => (100 * block.gasUsed) / Math.max(1, block.gasLimit),
  },
  {
    title: texts.names.baseFee,
    unit: 'gwei',
    small: { unit: 'wei', per: 1e9 },
    read: (block) => Number(block.baseFee) / 1e9,
  },
  { title: texts.names.transactions, unit: '', isBars: true, read: (block) => block.transactions },
  {
    title: texts.charts.blockTime,
    unit: 's',
    hasGaps: true,
    read: (block, before) => (before === undefined ? null : block.time - before.time),
  },
]

const height = 124

/** Of axes on which there are whole numbers alone. */
const wholeSteps = Array.from({ length: 7 }, (_, power) => 10 ** power).flatMap((one) => [
  one,
  2 * one,
  5 * one,
])

const axisText = { font: '11px system-ui, sans-serif' }

const seriesOf = (kind: ChartKind, blocks: readonly BlockSummary[]): uPlot.AlignedData => [
  blocks.map((block) => block.number),
  blocks.map((block, index) => kind.read(block, blocks[index - 1])),
]

/** The room for the longest label, in pixels: about so many for a character and the gap. */
const widthOf = (labels: readonly string[] | null): number =>
  12 + 6.2 * Math.max(3, ...(labels ?? []).map((label) => label.length))

const createOptions = (
  kind: ChartKind,
  width: number,
  show: (index: number | null | undefined) => void,
): uPlot.Options => {
  const style = getComputedStyle(document.documentElement)
  const color = (name: string): string => style.getPropertyValue(name).trim()
  return {
    width,
    height,
    // A label at the right end is as wide as a number of a block.
    padding: [8, kind.isBars ? 0 : 14, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6, fill: color('--accent') } },
    scales: {
      // Half a bar of room on both sides, where a bar would be cut.
      x: { time: false, ...(kind.isBars && { range: (_, min, max) => [min - 0.5, max + 0.5] }) },
      y: {
        range: (plot, min, max) => [
          Math.min(0, min ?? 0),
          heightFor(kind.hasGaps ? withoutGaps(plot.data[1] ?? []).at(-1) : max),
        ],
      },
    },
    axes: [
      {
        stroke: color('--muted'),
        ...axisText,
        size: 28,
        gap: 11,
        ticks: { show: false },
        grid: { show: false },
        // Blocks have whole numbers.
        incrs: wholeSteps,
        space: 44,
        values: (_, ticks) =>
          ticks.map((tick, at) => (at === 0 ? texts.charts.block(group(tick)) : group(tick))),
      },
      {
        stroke: color('--muted'),
        ...axisText,
        size: (_, labels) => widthOf(labels),
        gap: 6,
        ticks: { show: false },
        grid: { stroke: color('--line'), width: 1 },
        values: (_, ticks) => showTicks(kind, ticks),
        // Transactions are whole numbers, so the axis has no fractions.
        ...(kind.isBars && { incrs: wholeSteps }),
        space: 34,
      },
    ],
    series: [
      {},
      {
        stroke: color('--chart'),
        fill: color('--chart-fill'),
        width: 1.6,
        points: { show: false },
        ...(kind.isBars && { paths: uPlot.paths.bars?.({ size: [0.7, 14] }) as uPlot.Series.PathBuilder }),
      },
    ],
    hooks: { setCursor: [(plot) => show(plot.cursor.idx)] },
  }
}

/** What a chart shows, in words. */
const summaryOf = (kind: ChartKind, blocks: readonly BlockSummary[]): string => {
  const values = blocks
    .map((block, index) => kind.read(block, blocks[index - 1]))
    .filter((one) => one !== null)
  const newest = values.at(-1)
  if (newest === undefined) return ''
  const show = (value: number): string => showFigure(kind, value)
  const least = values.reduce((one, other) => Math.min(one, other), newest)
  const most = values.reduce((one, other) => Math.max(one, other), newest)
  return texts.charts.summary(show(newest), show(least), show(most), blocks.length)
}

const Chart = ({ kind }: { readonly kind: ChartKind }) => {
  const place = useRef<HTMLDivElement>(null)
  const figure = useRef<HTMLSpanElement>(null)
  const plot = useRef<uPlot | undefined>(undefined)
  const blocks = useStore(recentBlocks)
  const current = useRef(blocks)
  current.current = blocks
  const colors = useStore(theme)

  const show = (index: number | null | undefined): void => {
    const list = current.current
    const at = index ?? list.length - 1
    const block = list[at]
    if (figure.current === null || block === undefined) return
    const value = kind.read(block, list[at - 1])
    const text = value === null ? '–' : showFigure(kind, value)
    figure.current.textContent =
      index == null ? text : texts.charts.at(text, group(block.number), formatTime(block.time))
  }

  useEffect(() => {
    const element = place.current
    if (element === null) return
    const create = (): void => {
      plot.current?.destroy()
      const width = element.clientWidth
      if (width > 0)
        plot.current = new uPlot(createOptions(kind, width, show), seriesOf(kind, current.current), element)
    }
    create()
    const observer = new ResizeObserver(() =>
      plot.current === undefined ? create() : plot.current.setSize({ width: element.clientWidth, height }),
    )
    observer.observe(element)
    const dark = matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', create)
    return () => {
      observer.disconnect()
      dark.removeEventListener('change', create)
      plot.current?.destroy()
      plot.current = undefined
    }
  }, [colors])

  useEffect(() => {
    plot.current?.setData(seriesOf(kind, blocks))
    show(undefined)
  }, [blocks])

  return (
    <figure class="chart">
      <figcaption>
        <span class="name">{kind.title}</span> <span class="num value" ref={figure} aria-hidden="true" />
        <span class="offscreen">{summaryOf(kind, blocks)}</span>
      </figcaption>
      <div ref={place} class="plot" aria-hidden="true" />
    </figure>
  )
}

/** Gas, base fee, transactions and block time over the blocks of the last hour. */
export const Charts = () => (
  <section class="charts" aria-label={texts.charts.label}>
    {kinds.map((kind) => (
      <Chart key={kind.title} kind={kind} />
    ))}
  </section>
)

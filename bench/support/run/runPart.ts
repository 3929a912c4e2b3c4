import { busyShare, type PartEvent } from './measurement.ts'
import { watchNeighbours } from './neighbours.ts'
import type { Difference, Measured, OpenSide, Part, Row, RunOptions, Side } from './part.ts'

type Tell = (event: PartEvent) => void

interface Opened<Stage> {
  readonly side: Side<Stage>
  readonly open: OpenSide<Stage>
}

export interface PartName {
  readonly suite: string
  readonly part: string
}

/** Opens every side. One of ours that fails ends the part, a peer that fails is left out. */
const openAll = async <Stage>(
  sides: readonly Side<Stage>[],
  opened: Opened<Stage>[],
  tell: Tell,
): Promise<void> => {
  for (const side of sides) {
    const started = performance.now()
    try {
      const open = await side.open()
      opened.push({ side, open })
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      tell({ kind: 'remark', text: `${side.name} is prepared (${seconds} s)` })
      if (open.version !== undefined) tell({ kind: 'version', side: side.name, version: open.version })
    } catch (error) {
      if (side.kind !== 'peer') throw error
      tell({ kind: 'remark', text: `${side.name} is left out: ${(error as Error).message.slice(0, 500)}` })
    }
  }
}

interface Attempt {
  readonly measured: Measured
  readonly neighbours: number
  readonly attempts: number
}

/** Measures again while neighbours use the machine; returns the quietest attempt. */
const measureQuietly = async (
  work: () => Promise<Measured> | Measured,
  maxAttempts: number,
): Promise<Attempt> => {
  let best: Attempt | undefined
  for (let attempts = 1; attempts <= maxAttempts; attempts++) {
    const share = watchNeighbours()
    const measured = await work()
    const neighbours = share()
    best =
      best === undefined || neighbours < best.neighbours
        ? { measured, neighbours, attempts }
        : { ...best, attempts }
    if (best.neighbours <= busyShare) break
  }
  if (best === undefined) throw new Error('a row is measured once at least')
  return best
}

const wantedRows = <Stage>(rows: readonly Row<Stage>[], { only }: RunOptions, { part }: PartName) =>
  part.includes(only) ? rows : rows.filter(({ name }) => name.includes(only))

/** A quick run does without the widest. */
const widthsOf = <Stage>({ connections = [0] }: Row<Stage>, { isQuick }: RunOptions): readonly number[] =>
  isQuick ? connections.slice(0, 2) : connections

/** Runs a part: opens its sides, compares their answers, then measures row by row, one side after the other. */
export const runPart = async <Stage>(
  name: PartName,
  part: Part<Stage>,
  options: RunOptions,
  tell: Tell,
): Promise<void> => {
  const rows = wantedRows(part.rows(options), options, name)
  if (rows.length === 0) return
  const opened: Opened<Stage>[] = []
  try {
    await openAll(await part.sides(options), opened, tell)
    const stages = new Map(
      opened.map(({ side, open }) => [side.name, { kind: side.kind, stage: open.stage }] as const),
    )
    const differences = (await part.compare?.(stages, rows)) ?? []
    for (const difference of differences)
      tell({ kind: 'difference', difference: { ...difference, part: name.part } })
    for (const row of rows)
      for (const connections of widthsOf(row, options))
        for (const one of opened) {
          if (row.isOn?.(one.side) === false) continue
          await measureRow(name, row, connections, one, { options, differences, tell })
        }
  } finally {
    for (const { open } of opened.reverse()) await open.close()
  }
}

interface RowContext {
  readonly options: RunOptions
  readonly differences: readonly Difference[]
  readonly tell: Tell
}

const measureRow = async <Stage>(
  name: PartName,
  row: Row<Stage>,
  connections: number,
  { side, open }: Opened<Stage>,
  { options, differences, tell }: RowContext,
): Promise<void> => {
  const maxAttempts = row.isOnce ? 1 : options.maxAttempts
  const attempt = await measureQuietly(() => row.measure(open.stage, connections), maxAttempts).catch(
    (error: Error) => {
      if (side.kind !== 'peer')
        throw new Error(`${name.part}, ${row.name}: ${error.message}`, { cause: error })
      tell({ kind: 'remark', text: `${row.name}: ${side.name} failed: ${error.message.slice(0, 300)}` })
      return undefined
    },
  )
  if (attempt === undefined) return
  const { measured, neighbours, attempts } = attempt
  const isVoid =
    measured.isVoid ?? differences.some((one) => one.isVoid && one.row === row.name && one.side === side.name)
  tell({
    kind: 'measurement',
    measurement: {
      ...name,
      row: row.name,
      ...{ side: side.name, kind: side.kind, connections, unit: row.unit, by: row.by },
      figures: measured.figures,
      neighbours: Math.round(neighbours * 1000) / 1000,
      attempts,
      ...(measured.note === undefined ? {} : { note: measured.note }),
      ...(isVoid ? { isVoid } : {}),
    },
  })
}

/** A part whose stage only it knows. */
export interface RunnablePart {
  run(name: PartName, options: RunOptions, tell: Tell): Promise<void>
}

export const definePart = <Stage>(part: Part<Stage>): RunnablePart => ({
  run: (name, options, tell) => runPart(name, part, options, tell),
})

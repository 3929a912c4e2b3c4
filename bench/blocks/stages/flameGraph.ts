import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { connect } from '../../support/load/connection.ts'
import { startNode } from '../../support/peers/runningNode.ts'
import { measure } from '../../support/transactions/measure.ts'
import { prepare } from '../../support/transactions/workload.ts'

/** What V8 writes with --cpu-prof. */
interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string }
    readonly children?: readonly number[]
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
  /** In microseconds of the clock that `process.hrtime` reads. */
  readonly startTime: number
}

/** A time of that clock, in the same unit. */
const clockMicros = (): number => Number(process.hrtime.bigint() / 1000n)

interface Period {
  readonly from: number
  readonly to: number
}

interface Frame {
  readonly name: string
  time: number
  readonly children: Map<string, Frame>
}

const width = 1200
const rowHeight = 16
/** Narrower frames are left out. */
const minWidth = 0.6
const maxDepth = 40
const pxPerLetter = 6.2

const createFrame = (name: string): Frame => ({ name, time: 0, children: new Map() })

/** Returns the calls of a period by the time that they took; frames of one name below the same caller are one. */
const toFrames = ({ nodes, samples, timeDeltas, startTime }: CpuProfile, { from, to }: Period): Frame => {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  const root = createFrame('all')
  let time = startTime
  for (const [index, sample] of samples.entries()) {
    time += timeDeltas[index] ?? 0
    if (time < from || time > to) continue
    const names: string[] = []
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id))
      names.unshift(byId.get(id)?.callFrame.functionName || '(anonymous)')
    // A thread that waits takes no time.
    if (names.includes('(idle)')) continue
    let frame = root
    root.time += timeDeltas[index] ?? 0
    for (const name of names.slice(1)) {
      const next = frame.children.get(name) ?? createFrame(name)
      frame.children.set(name, next)
      next.time += timeDeltas[index] ?? 0
      frame = next
    }
  }
  return root
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const colorOf = (name: string): string => {
  const sum = [...name].reduce((all, letter) => (all * 31 + letter.charCodeAt(0)) % 997, 7)
  return `hsl(${20 + (sum % 40)} 80% ${62 + (sum % 13)}%)`
}

/** Draws a period of a profile: callers below, the width of a frame is its time. */
const drawFlameGraph = (title: string, profile: CpuProfile, period: Period): string => {
  const root = toFrames(profile, period)
  const shapes: string[] = []
  let deepest = 0
  const draw = (frame: Frame, x: number, depth: number): void => {
    const wide = (frame.time / Math.max(root.time, 1)) * width
    if (wide < minWidth || depth > maxDepth) return
    deepest = Math.max(deepest, depth)
    const label = frame.name.slice(0, Math.max(0, Math.floor((wide - 4) / pxPerLetter)))
    const percent = ((100 * frame.time) / Math.max(root.time, 1)).toFixed(1)
    shapes.push(
      `<g transform="translate(${x.toFixed(1)} ${-(depth + 1) * rowHeight})"><title>${escapeXml(frame.name)}: ${percent} %</title><rect width="${wide.toFixed(1)}" height="${rowHeight - 1}" fill="${colorOf(frame.name)}"/>${label.length > 2 ? `<text x="2" y="11">${escapeXml(label)}</text>` : ''}</g>`,
    )
    let at = x
    for (const child of [...frame.children.values()].sort((a, b) => b.time - a.time)) {
      draw(child, at, depth + 1)
      at += (child.time / Math.max(root.time, 1)) * width
    }
  }
  draw(root, 0, 0)
  const height = (deepest + 1) * rowHeight + 24
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="monospace" font-size="10">`,
    `<title>${escapeXml(title)}</title>`,
    `<text x="2" y="14" font-size="13">${escapeXml(title)}</text>`,
    `<g transform="translate(0 ${height})">`,
    ...shapes,
    '</g></svg>\n',
  ].join('\n')
}

/** Profiles both threads while 20 senders send one by one on demand, and writes the graphs beside a page. */
export const drawFlameGraphs = async (
  page: string,
  isQuick: boolean,
): Promise<{ readonly title: string; readonly file: string }[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-flames-'))
  try {
    const node = await startNode('perihelion', { nodeArgs: ['--cpu-prof', `--cpu-prof-dir=${folder}`] })
    const connection = await connect(node.port)
    const workload = await prepare(connection, 20)
    connection.close()
    const burst = { kind: 'transfer', batch: 1, senders: 20, transactions: isQuick ? 400 : 10_000 } as const
    // What is compiled and loaded at first is not what a transaction takes.
    await measure(node, workload, { ...burst, transactions: burst.transactions / 10 }, 120_000)
    const from = clockMicros()
    await measure(node, workload, burst, 120_000)
    const period = { from, to: clockMicros() }
    await node.stop()
    // CPU.<date>.<time>.<process>.<thread>.<sequence>.cpuprofile
    const fileOf = (thread: number) =>
      readdirSync(folder).find((name) => name.split('.')[4] === String(thread))
    const threads = [
      { name: 'main', thread: 0 },
      { name: 'application', thread: 1 },
    ]
    return threads.flatMap(({ name, thread }) => {
      const profile = fileOf(thread)
      if (profile === undefined) return []
      const title = `CPU of the ${name} thread: transfers one by one on demand, 20 senders`
      const file = `${basename(page, '.md')}-${name}.svg`
      const read = JSON.parse(readFileSync(join(folder, profile), 'utf8')) as CpuProfile
      writeFileSync(join(dirname(page), file), drawFlameGraph(title, read, period))
      return [{ title, file }]
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

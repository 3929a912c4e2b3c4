import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { median } from '../support/load/percentile.ts'
import { ownLibrary } from '../support/peers/ownProgram.ts'
import type { Figures, Measured } from '../support/run/part.ts'
import { definePart } from '../support/run/runPart.ts'

const program = fileURLToPath(new URL('inProcess.mjs', import.meta.url))
const steps = {
  import: 'import of the library',
  // not ours: the name in recorded results
  first: 'first createNode and an answer',
  // not ours: the name in recorded results
  second: 'second createNode and an answer',
  firstClose: 'close',
} as const
type Step = keyof typeof steps

const figureNames = ['ms', 'cpuMs', 'rssMb'] as const

const measureStep = async (step: Step, count: number): Promise<Measured> => {
  const runs: Figures[] = []
  for (let round = 0; round < count; round++) {
    const { stdout } = await promisify(execFile)(process.execPath, [program, ownLibrary()])
    runs.push((JSON.parse(stdout) as Record<Step, Figures>)[step])
  }
  return {
    figures: Object.fromEntries(
      figureNames.flatMap((name) => {
        const values = runs.flatMap((figures) => figures[name] ?? [])
        return values.length === 0 ? [] : [[name, median(values)]]
      }),
    ),
  }
}

/** Nodes in the process of another program. */
export const part = definePart<undefined>({
  sides: () => [
    { name: 'perihelion', kind: 'ours', open: async () => ({ stage: undefined, close: async () => {} }) },
  ],
  rows: ({ isQuick }) =>
    (Object.keys(steps) as Step[]).map((step) => ({
      name: steps[step],
      unit: 'node',
      by: 'ms',
      measure: () => measureStep(step, isQuick ? 1 : 5),
    })),
})

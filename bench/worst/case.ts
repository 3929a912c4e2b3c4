import type { Measured, Row, RunOptions, Side } from '../support/run/part.ts'
import { definePart, type RunnablePart } from '../support/run/runPart.ts'

/**
 * One way to spend gas that may cost a machine much. `bench worst` shows gas a second, and the slowest says what a block
 * of the gas limit costs at most.
 *
 * To add cases: a file `bench/worst/<group>.ts` with `export const part = defineWorstCases(() => cases)`, and a line in
 * `bench/suites.ts`. `programCase` of `machines.ts` makes one of bytecode, on our machine and on those of others.
 */
export interface WorstCase {
  readonly name: string
  /** By side: `perihelion`, and `geth` or `@ethereumjs/evm` where they can do it too. */
  readonly sides: Readonly<Record<string, () => OpenCase | Promise<OpenCase>>>
}

/** A case that is prepared: runs are measured, the preparation is not. */
export interface OpenCase {
  run(): GasTime | Promise<GasTime>
  close?(): void | Promise<void>
}

export interface GasTime {
  readonly gas: number
  /** Of the execution alone. */
  readonly ms: number
}

/** The best of many runs: what else the machine does can only make a run slower. */
const measureCase = async (one: WorstCase, side: string, budgetMs: number): Promise<Measured> => {
  const open = await one.sides[side]?.()
  if (open === undefined) throw new Error(`${one.name} is not on ${side}`)
  try {
    const end = performance.now() + budgetMs
    let best: GasTime | undefined
    do {
      const { gas, ms } = await open.run()
      if (best === undefined || ms / gas < best.ms / best.gas) best = { gas, ms }
    } while (performance.now() < end)
    return { figures: { mgas: best.gas / best.ms / 1000 } }
  } finally {
    await open.close?.()
  }
}

/** The sides whose programs are slow or must be started for each run; a quick run does without them. */
const otherMachines = ['geth', '@ethereumjs/evm']

/** Makes a part of cases. */
export const defineWorstCases = (createCases: (options: RunOptions) => readonly WorstCase[]): RunnablePart =>
  definePart<{ readonly side: string }>({
    sides: (options) => {
      const names = new Set(createCases(options).flatMap(({ sides }) => Object.keys(sides)))
      return [...names]
        .filter((name) => !options.isQuick || !otherMachines.includes(name))
        .map(
          (name): Side<{ readonly side: string }> => ({
            name,
            kind: name === 'perihelion' ? 'ours' : 'peer',
            open: async () => ({ stage: { side: name }, close: async () => {} }),
          }),
        )
    },
    rows: (options) =>
      createCases(options).map(
        (one): Row<{ readonly side: string }> => ({
          name: one.name,
          unit: 'run',
          by: 'mgas',
          isOn: ({ name }) => Object.hasOwn(one.sides, name),
          measure: ({ side }) => measureCase(one, side, options.isQuick ? 20 : 400),
        }),
      ),
  })

import { suites } from './suites.ts'
import type { PartEvent } from './support/run/measurement.ts'
import type { RunOptions } from './support/run/part.ts'
import { processTree } from './support/run/processTree.ts'
import type { PartName } from './support/run/runPart.ts'

/** A process that runs one part: no part is slowed down by what another left in memory. */
export interface PartOrder extends PartName {
  readonly options: RunOptions
}

const tell = (event: PartEvent): void => {
  process.send?.(event)
}

const run = async ({ suite, part: name, options }: PartOrder): Promise<void> => {
  const load = suites[suite]?.parts[name]
  if (load === undefined) throw new Error(`there is no part ${suite} / ${name}`)
  const { part } = await load()
  await part.run({ suite, part: name }, options, tell)
}

/** Nothing that the part has started outlives it. */
const stop = (): void => {
  for (const pid of processTree(process.pid).slice(1)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // it ended meanwhile
    }
  }
  process.exit(1)
}
process.on('SIGTERM', stop).on('SIGINT', stop).on('disconnect', stop)

process.once('message', (order: PartOrder) => {
  run(order).then(
    () => process.exit(0),
    (error: Error) => {
      process.stderr.write(`${error.stack}\n`)
      process.exit(1)
    },
  )
})

import { definePart, type RunnablePart } from '../support/run/runPart.ts'
import { patternsOf, phasesOf } from './patterns.ts'
import { Sessions } from './session.ts'

/** Rows of those who send, on nodes that have just been started. */
export const defineSending = (blockTimeMs: number | undefined): RunnablePart => {
  const mode = blockTimeMs === undefined ? '' : ` ${blockTimeMs / 1000}s`
  return definePart<Sessions>({
    sides: ({ peers, isQuick }) => {
      const side = (name: string, program: string, flags: readonly string[] = []) => ({
        name: `${name}${mode}`,
        kind: program === 'perihelion' ? ('ours' as const) : ('peer' as const),
        open: async () => {
          const stage = new Sessions(program, { blockTimeMs, flags })
          return { stage, close: () => stage.close() }
        },
      })
      return [
        side('perihelion', 'perihelion'),
        ...(isQuick ? [] : [side('perihelion --ephemeral', 'perihelion', ['--ephemeral'])]),
        ...peers.filter((name) => name === 'geth' || name === 'anvil').map((name) => side(name, name)),
      ]
    },
    rows: ({ isQuick }) => {
      const phases = phasesOf(isQuick)
      return patternsOf(isQuick).flatMap((pattern) =>
        phases.map(({ name }, index) => ({
          name: `${pattern.name}, ${name}`,
          unit: 'transaction',
          by: 'rate' as const,
          // The transactions of a row are those after which the next one is measured.
          isOnce: true,
          measure: (sessions: Sessions) => sessions.run(pattern, phases, index),
        })),
      )
    },
  })
}

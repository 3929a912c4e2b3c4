import type { RunnablePart } from './support/run/runPart.ts'

/** A name of `npm run bench -- <name>`, with its parts. Each part runs in a process of its own. */
export interface Suite {
  readonly about: string
  readonly parts: Readonly<Record<string, () => Promise<{ readonly part: RunnablePart }>>>
}

/** This table is the only list of what is measured. */
export const suites: Readonly<Record<string, Suite>> = {
  startup: {
    about: 'from the command to the first answer, CPU, idle memory',
    parts: {
      program: () => import('./startup/program.ts'),
      library: () => import('./startup/library.ts'),
    },
  },
  answers: {
    about: 'reads, calls, logs, traces and subscriptions over RPC',
    parts: {
      rpc: () => import('./answers/rpc.ts'),
    },
  },
  worst: {
    about: 'gas a second at its worst: loops, precompiles, attacks',
    parts: {
      loops: () => import('./worst/loops.ts'),
      precompiles: () => import('./worst/precompiles.ts'),
    },
  },
}

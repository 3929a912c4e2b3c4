import { mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { writeFileAtomicallySync } from '../../base/files/atomicFile.ts'
import type { Logger } from '../../base/logging/log.ts'
import type { LieKind, ProvenLie } from '../../comet/data/provenLie.ts'

/** A lie of a node with its evidence; plain data. */
export interface Lie {
  /** When it was found, in milliseconds. */
  readonly time: number
  readonly node: string
  readonly kind: LieKind
  readonly height: number
  readonly problem: string
  /** What the node said; undefined if there is nothing more to tell. */
  readonly evidence?: unknown
}

/** The number of lies that are kept, the newest ones, and the largest evidence of one, in characters. */
const maxLies = 100
const maxEvidence = 65_536

export const toLie = (node: string, { kind, height, message, evidence }: ProvenLie): Lie => {
  const isSmall = evidence !== undefined && JSON.stringify(evidence).length <= maxEvidence
  return { time: Date.now(), node, kind, height, problem: message, ...(isSmall ? { evidence } : {}) }
}

/** The lies that nodes told, in a bounded file. */
export class LieLog {
  readonly #path: string
  readonly #log: Logger
  readonly #counts = new Map<LieKind, number>()
  #lies: readonly Lie[]

  constructor(path: string, log: Logger) {
    this.#path = path
    this.#log = log
    this.#lies = load(path)
  }

  /** The lies that are kept, the newest last. */
  get lies(): readonly Lie[] {
    return this.#lies
  }

  /** Returns how many lies of each kind were found since the start. */
  counts(): ReadonlyMap<LieKind, number> {
    return this.#counts
  }

  add(lie: Lie): void {
    const { node, kind, height, problem } = lie
    this.#log.error(
      { node, kind, block: height, problem, file: this.#path },
      'A NODE LIED: the evidence is kept',
    )
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1)
    this.#lies = [...this.#lies, lie].slice(-maxLies)
    try {
      mkdirSync(dirname(this.#path), { recursive: true })
      const lines = this.#lies.map((one) => JSON.stringify(one))
      writeFileAtomicallySync(this.#path, `${lines.join('\n')}\n`, 0o644)
    } catch (error) {
      this.#log.error({ reason: (error as Error).message }, 'evidence of a lie could not be written')
    }
  }
}

/** Loads what was written before. Lines that are damaged are left out: the file is for operators, nothing depends on it. */
const load = (path: string): readonly Lie[] => {
  try {
    const lines = readFileSync(path, 'utf8').split('\n')
    return lines.flatMap(parseLine).slice(-maxLies)
  } catch {
    return []
  }
}

const parseLine = (line: string): readonly Lie[] => {
  try {
    const lie = JSON.parse(line)
    return typeof lie?.height === 'number' && typeof lie.kind === 'string' ? [lie] : []
  } catch {
    return []
  }
}

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkData } from '../../../src/app/dataCheck.ts'
import type { Checks, Verdict } from './damage.ts'

export interface DamageRun {
  readonly file: Buffer
  readonly seed: number
  readonly count: number
  readonly checks: Checks
  readonly onProgress?: (done: number) => void
  /** Called with each damage that was missed or that ended the process. */
  readonly onFault?: (fault: string) => void
}

export interface DamageResult {
  readonly found: number
  readonly harmless: number
  /** The damage that changed a row and was not told, and that which ended the process. */
  readonly missed: readonly string[]
  readonly died: readonly string[]
  /** What is wrong with the file before it is damaged. */
  readonly problem: string | undefined
}

type Message =
  | { readonly index: number; readonly name: string }
  | { readonly index: number; readonly verdict: Verdict }

const script = fileURLToPath(new URL('./worker.ts', import.meta.url))

/** Tries damage 0 to `count` of a seed in another process, which is started again where one ends it. */
export const runDamage = async ({
  file,
  seed,
  count,
  checks,
  onProgress,
  onFault,
}: DamageRun): Promise<DamageResult> => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-damage-'))
  const path = join(folder, 'sample.mdb')
  writeFileSync(path, file)
  const problem = (await checkData(path)).problems[0]
  const result = { found: 0, harmless: 0, missed: [] as string[], died: [] as string[], problem }
  let next = 0
  let current = ''
  const onMessage = (message: Message): void => {
    if ('name' in message) {
      current = message.name
      return
    }
    const { name, outcome } = message.verdict
    next = message.index + 1
    if (outcome === 'missed') {
      result.missed.push(name)
      onFault?.(`missed: ${name}`)
    } else result[outcome]++
    onProgress?.(next)
  }
  try {
    while (next < count) {
      const child = fork(script, [path, String(seed), String(next), String(count), checks], {
        execArgv: ['--import', 'tsx'],
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      })
      let errors = ''
      child.stderr?.on('data', (chunk) => {
        errors += chunk
      })
      child.on('message', onMessage)
      const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
      if (code === 0) break
      const death = `${current}: ${signal ?? code} ${errors.trim().split('\n').at(-1) ?? ''}`
      result.died.push(death)
      onFault?.(`ended the process: ${death}`)
      next++
    }
    return result
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

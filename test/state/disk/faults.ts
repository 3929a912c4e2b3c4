import { spawn } from 'node:child_process'
import { once } from 'node:events'

export interface FaultRun {
  readonly shim: string
  readonly worker: string
  readonly path: string
  /** How many faults the worker meets. */
  readonly faults: number
  readonly seed: number
  /** The kinds: n (ENOSPC), e (EIO), s (a sync that fails). */
  readonly kinds: string
  readonly mode: 'right' | 'careless'
}

export interface FaultResult {
  readonly acknowledged: number
  readonly refused: number
  readonly faults: Readonly<Record<string, number>>
  /** What was lost or wrong; empty if nothing was. */
  readonly violations: readonly string[]
}

/** Runs a worker whose disk fails now and then, and keeps its acknowledgements here, in another process. */
export const runFaults = async (options: FaultRun): Promise<FaultResult> => {
  const { shim, worker, path, faults, seed, kinds, mode } = options
  const child = spawn(process.execPath, [worker, path, String(faults), mode], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, LD_PRELOAD: shim, SHIM_FILE: '.mdb', SHIM_FAULTS: `40 ${seed} ${kinds}` },
  })
  let output = ''
  let errors = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  const lines = output.trim().split('\n')
  const injected: Record<string, number> = {}
  for (const [, kind = ''] of errors.matchAll(/fault ([nes])$/gm)) injected[kind] = (injected[kind] ?? 0) + 1
  return {
    acknowledged: lines.filter((line) => line.startsWith('ack ')).length,
    refused: lines.filter((line) => line.startsWith('refused ')).length,
    faults: injected,
    violations: [
      ...lines.filter((line) => line.startsWith('wrong')),
      ...findLost(lines),
      ...(code === 0
        ? []
        : [`the process ended with ${signal ?? code}: ${/^\w*Error: .*$/m.exec(errors)?.[0]}`]),
    ],
  }
}

/** Returns the acknowledged heights that a later head is below, or that were acknowledged twice with different roots. */
const findLost = (lines: readonly string[]): readonly string[] => {
  const roots = new Map<number, string>()
  const violations: string[] = []
  for (const line of lines) {
    const [word, number, root] = line.split(' ') as [string, string, string]
    const height = Number(number)
    if (word === 'ack') {
      if ((roots.get(height) ?? root) !== root) violations.push(`height ${height} has two roots`)
      roots.set(height, root)
    } else if (word === 'reopened' && height < Math.max(-1, ...roots.keys()))
      violations.push(`height ${Math.max(...roots.keys())} was acknowledged, the head is ${height}`)
  }
  return violations
}

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findProgram } from '../../../test/support/programs/findProgram.ts'
import { endedChildrenCpuMs } from '../run/processTree.ts'
import type { GeneratorOrder } from './generator.ts'
import type { LoadResult } from './rawLoad.ts'

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** `wrk` counts nothing that is under way when it ends, so rows that take longer are driven by our own generator. */
const slowMs = 50
const longestWarmUpSeconds = 0.5

/** Makes load for the rows of a part. wrk does where it is installed; BENCH_GENERATOR=own leaves it out. */
export class LoadDriver {
  readonly #folder = mkdtempSync(join(tmpdir(), 'perihelion-bench-load-'))
  readonly #wrk = process.env.BENCH_GENERATOR === 'own' ? undefined : findProgram('wrk', 'WRK')
  #generator: ChildProcess | undefined
  #files = 0

  /** Writes bodies to a file that can be driven. */
  prepare(bodies: readonly string[]): string {
    const file = join(this.#folder, `${this.#files++}.txt`)
    writeFileSync(file, `${bodies.join('\n')}\n`)
    return file
  }

  /** Runs the load for a moment that does not count, and shows what to expect of it. */
  async warmUp(order: GeneratorOrder): Promise<LoadResult> {
    return this.#driveOwn({ ...order, seconds: Math.min(order.seconds, longestWarmUpSeconds) })
  }

  async drive(order: GeneratorOrder, warm: LoadResult): Promise<LoadResult> {
    return this.#wrk === undefined || warm.p50Ms > slowMs || order.seconds < 1 || order.rate !== undefined
      ? this.#driveOwn(order)
      : { ...(await this.#driveWrk(this.#wrk, order)), bytes: warm.bytes }
  }

  close(): void {
    this.#generator?.disconnect()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #driveOwn(order: GeneratorOrder): Promise<LoadResult> {
    this.#generator ??= spawn(process.execPath, ['--import', 'tsx', path('generator.ts')], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    this.#generator.send(order)
    const answer = await this.#nextMessage(this.#generator)
    if ('error' in answer) throw new Error(answer.error)
    return answer.result
  }

  #nextMessage(
    generator: ChildProcess,
  ): Promise<{ readonly result: LoadResult } | { readonly error: string }> {
    return new Promise((resolve) => {
      const onExit = (): void => resolve({ error: 'the generator ended' })
      generator.once('exit', onExit)
      generator.once('message', (answer) => {
        generator.off('exit', onExit)
        resolve(answer as { readonly result: LoadResult }) // as generator.ts sends them
      })
    })
  }

  async #driveWrk(wrk: string, { port, file, connections, seconds }: GeneratorOrder): Promise<LoadResult> {
    const cpuBefore = endedChildrenCpuMs()
    const args = ['-t1', `-c${connections}`, `-d${Math.max(1, Math.round(seconds))}s`, '--timeout', '30s']
    const { stdout } = await promisify(execFile)(wrk, [
      ...args,
      ...['-s', path('wrk.lua'), `http://127.0.0.1:${port}`, '--', file],
    ])
    const [, json] = /^result (.*)$/m.exec(stdout) ?? []
    if (json === undefined) throw new Error(`wrk: ${stdout.slice(-500)}`)
    const figures = JSON.parse(json) as Readonly<
      Record<'requests' | 'micros' | 'bytes' | 'errors' | 'p50' | 'p99' | 'p999', number>
    >
    return {
      requests: figures.requests,
      seconds: figures.micros / 1e6,
      p50Ms: figures.p50 / 1000,
      p99Ms: figures.p99 / 1000,
      p999Ms: figures.p999 / 1000,
      bytes: figures.bytes / figures.requests,
      errors: figures.errors,
      cpuMs: endedChildrenCpuMs() - cpuBefore,
      generator: 'wrk',
    }
  }
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { slow, testSome } from '../../support/slow.ts'
import { runFaults } from './faults.ts'
import { buildShim, bundleWorker } from './shim.ts'

/** ENOSPC, EIO and syncs that fail: COUNT faults (200 for `npm run long -- diskFaults`) of each of three mixtures. */
const count = Number(process.env.COUNT ?? 6)
const seed = Number(process.env.SEED ?? 7)

const folder = mkdtempSync(join(tmpdir(), 'perihelion-faults-'))
const shim = buildShim(folder)
let worker = { path: '', folder }

describe.skipIf('reason' in shim)(
  `writes and syncs that fail${'reason' in shim ? `: ${shim.reason}` : ''}`,
  () => {
    beforeAll(async () => {
      worker = await bundleWorker('faultWorker')
    })
    afterAll(() => {
      for (const made of [folder, worker.folder]) rmSync(made, { recursive: true, force: true })
    })

    const run = (name: string, kinds: string, mode: 'right' | 'careless', faults: number) =>
      runFaults({
        shim: 'path' in shim ? shim.path : '',
        worker: worker.path,
        path: join(folder, `${name}.mdb`),
        faults,
        seed,
        kinds,
        mode,
      })

    testSome(1, [
      ['all of them', 'nes'],
      ['a full disk', 'n'],
      ['errors of the device', 'e'],
      ['syncs that fail', 's'],
    ])(
      `%s: ${count} times no death, and nothing acknowledged is lost`,
      async (name, kinds) => {
        const result = await run(name, kinds, 'right', count)
        if (count > 10) console.log(name, result)
        expect(result.violations).toEqual([])
        expect(result.refused).toBe(count)
        expect(result.acknowledged).toBeGreaterThan(0)
      },
      { timeout: 120_000 + count * 10_000 },
    )

    test('control: a worker that acknowledges what was refused is found out', slow, async () => {
      expect((await run('careless', 'ne', 'careless', 12)).violations).not.toEqual([])
    })
  },
)

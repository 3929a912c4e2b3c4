import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRandom } from '../../support/random.ts'
import { slow } from '../../support/slow.ts'
import { findLossesOfPower } from './power.ts'
import { DiskModel, type Recording, recordWrites } from './recording.ts'
import { buildShim, bundleWorker } from './shim.ts'

/** Power cuts, as files rebuilt from recorded writes: COUNT (50,000 for `npm run long -- power`) from SEED on. */
const images = Number(process.env.COUNT ?? 150)
const seed = Number(process.env.SEED ?? 5)
const blocks = 30

// In memory, where there is such a folder: what is tried is which writes are there, not how the disk keeps them.
const base = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
const folder = mkdtempSync(join(base, 'perihelion-power-'))
const shim = buildShim(folder)
let worker = { path: '', folder }
let recording: Recording

describe.skipIf('reason' in shim)(`power cuts${'reason' in shim ? `: ${shim.reason}` : ''}`, () => {
  const record = (mode: 'right' | 'unsynced') =>
    recordWrites(folder, 'path' in shim ? shim.path : '', worker.path, { blocks, mode })

  beforeAll(async () => {
    worker = await bundleWorker('powerWorker')
    recording = record('right')
  })
  afterAll(() => {
    for (const made of [folder, worker.folder]) rmSync(made, { recursive: true, force: true })
  })

  test(`nothing acknowledged is lost in ${images} of them`, { timeout: 180_000 + images * 200 }, async () => {
    const { events, file } = recording
    // Every write was seen: without a cut the model has the very file.
    expect(new DiskModel(events).cut(events.length, 'kept', createRandom(1)).equals(file)).toBe(true)
    expect(events.filter(({ kind }) => kind === 'ack')).toHaveLength(blocks)
    const onProgress = (done: number): void => {
      if (done % 1_000 === 0) console.log(`${done} of ${images} images`)
    }
    expect(await findLossesOfPower({ recording, folder, images, seed, onProgress })).toEqual([])
  })

  test('a file whose first commit was cut off is begun again by itself', async () => {
    const within = recording.events.findIndex(({ kind }) => kind === 'ack')
    expect(within).toBeGreaterThan(0)
    expect(
      await findLossesOfPower({ recording, folder, images: Math.max(images / 5, 150), seed, within }),
    ).toEqual([])
  })

  test('control: without syncs acknowledged blocks are lost', slow, async () => {
    expect(await findLossesOfPower({ recording: record('unsynced'), folder, images: 150, seed })).not.toEqual(
      [],
    )
  })
})

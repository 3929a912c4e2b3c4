import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LmdbEnvironment } from '../../../src/base/lmdb/lmdb.ts'
import { checkState } from '../../../src/state/check/stateCheck.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { createRandom } from '../../support/random.ts'
import { cutKinds, DiskModel, type Recording } from './recording.ts'

export interface PowerRun {
  readonly recording: Recording
  readonly folder: string
  readonly images: number
  readonly seed: number
  /** The number of events within which power is cut; all by default. */
  readonly within?: number
  readonly onProgress?: (done: number) => void
}

/** The boot id in a meta page: the kernel's, of the boot in which the page was written. */
const bootIdAt = 24 + 136
const magicAt = 24
const pageSize = 8_192

/**
 * Rebuilds the file as it could be after a power cut at random moments, opens it as after a restart, in the same boot of
 * the kernel or another, and returns what is wrong: an acknowledged height that is missing, or a state that is not whole.
 */
export const findLossesOfPower = async (options: PowerRun): Promise<readonly string[]> => {
  const { recording, folder, images, seed, onProgress } = options
  const { events } = recording
  const random = createRandom(seed)
  const within = options.within ?? events.length
  const cuts = Array.from({ length: images }, () => random.below(within + 1)).sort((a, b) => a - b)
  const model = new DiskModel(events)
  const roots = new Map<number, string>()
  for (const event of events) if (event.kind === 'ack') roots.set(event.height, event.root)
  const violations: string[] = []
  /** What was found in each image; many cuts leave the same one. */
  const known = new Map<string, Contents>()
  let acknowledged = -1
  let counted = 0
  for (const [index, at] of cuts.entries()) {
    for (; counted < at; counted++) {
      const event = events[counted]
      if (event?.kind === 'ack') acknowledged = event.height
    }
    const kind = random.pick(cutKinds)
    const isOtherBoot = random.chance(0.5)
    const image = model.cut(at, kind, random)
    if (isOtherBoot) changeBootIds(image)
    const id = createHash('sha1')
      .update(image)
      .update(String(acknowledged < 0))
      .digest('hex')
    const contents =
      known.get(id) ?? (await readImage(join(folder, `image-${index}`), image, acknowledged < 0))
    known.set(id, contents)
    const problem = findLoss(contents, acknowledged, roots)
    if (problem !== undefined)
      violations.push(`cut at ${at} (${kind}, ${isOtherBoot ? 'other' : 'same'} boot): ${problem}`)
    onProgress?.(index + 1)
  }
  return violations
}

/** A page that did not reach the disk has no boot id. */
const changeBootIds = (image: Buffer): void => {
  for (const page of [0, pageSize]) {
    const at = page + bootIdAt
    const isWritten = image.length >= at + 8 && image.readUInt32LE(page + magicAt) !== 0
    if (isWritten) image.writeBigInt64LE(image.readBigInt64LE(at) ^ 0x5a5an, at)
  }
}

/** What a start finds in an image. */
interface Contents {
  readonly head: number
  readonly root: string | undefined
  readonly problem: string | undefined
}

const findLoss = (
  { head, root, problem }: Contents,
  acknowledged: number,
  roots: ReadonlyMap<number, string>,
): string | undefined => {
  if (problem !== undefined) return problem
  if (head < acknowledged) return `${acknowledged} was acknowledged, the head is ${head}`
  if (head > acknowledged + 1) return `the head is ${head}, but ${acknowledged} was the last acknowledged`
  return root === roots.get(head) ? undefined : `another root at ${head}`
}

const readImage = async (folder: string, image: Buffer, isBeginning: boolean): Promise<Contents> => {
  mkdirSync(folder)
  const path = join(folder, 'state.mdb')
  // Before anything was acknowledged the mark of a new file is there.
  if (image.length > 0 || !isBeginning) writeFileSync(path, image)
  if (isBeginning) writeFileSync(`${path}.new`, '')
  let environment: LmdbEnvironment | undefined
  try {
    environment = new LmdbEnvironment({ path, minFreeBytes: 0 })
    const opened = environment
    const store = opened.openTables(() => new StateStore(opened, { pruning: 'everything' }))
    const head = store.head?.height ?? -1
    const root = head < 0 ? undefined : Buffer.from(store.rootAt(head)).toString('hex')
    return { head, root, problem: checkState(store, 2).problems[0] }
  } catch (error) {
    return { head: -1, root: undefined, problem: (error as Error).message }
  } finally {
    await environment?.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

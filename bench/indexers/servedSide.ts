import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Side } from '../support/run/part.ts'
import { type BusyHome, makeBusyHome } from './busyHome.ts'
import { type ServedHome, serveHome } from './servedHome.ts'

/** The transfers of each block of the chain that is read. */
export const perBlock = 50

/** The chains that were made, by the count of their blocks: each side gets a copy. */
const made = new Map<number, Promise<BusyHome>>()

const makeOnce = async (blocks: number): Promise<BusyHome> => {
  const home = await makeBusyHome(blocks, perBlock)
  process.once('exit', () => rmSync(home.folder, { recursive: true, force: true }))
  return home
}

const copyOf = async (blocks: number): Promise<{ readonly folder: string; readonly home: string }> => {
  const making = made.get(blocks) ?? makeOnce(blocks)
  made.set(blocks, making)
  const original = await making
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-bench-indexers-'))
  const home = join(folder, 'home')
  cpSync(original.home, home, { recursive: true })
  return { folder, home }
}

/** A side that reads a whole chain of so many blocks, which a node serves to it alone. */
export const servedSide = <Stage>(
  name: string,
  kind: Side<Stage>['kind'],
  blocks: number,
  open: (served: ServedHome, folder: string) => Stage,
): Side<Stage> => ({
  name,
  kind,
  open: async () => {
    const { folder, home } = await copyOf(blocks)
    const served = await serveHome(home)
    return {
      stage: open(served, folder),
      close: async () => {
        await served.close()
        rmSync(folder, { recursive: true })
      },
    }
  },
})

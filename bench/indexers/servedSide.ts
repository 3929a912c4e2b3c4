import { rmSync } from 'node:fs'
import type { Side } from '../support/run/part.ts'
import { makeBusyHome } from './busyHome.ts'
import { type ServedHome, serveHome } from './servedHome.ts'

/** The transfers of each block of the chain that is read. */
export const perBlock = 50

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
    const { folder, home } = await makeBusyHome(blocks, perBlock)
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

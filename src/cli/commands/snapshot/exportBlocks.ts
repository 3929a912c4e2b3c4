import { existsSync, statSync } from 'node:fs'
import { assertSoundData } from '../../../app/dataCheck.ts'
import { badFile, ExitError } from '../../../base/exit.ts'
import { dataFile } from '../../../home/layout.ts'
import { openBlocks } from '../../../service/offline/exportBlocks.ts'
import { print } from '../../output/print.ts'
import { createProgress } from '../../output/progress.ts'
import { removeIfInterrupted } from './removeIfInterrupted.ts'
import { openTarget } from './target.ts'

/** Writes the blocks of a gateway, from which another one begins (`--bootstrap`). */
export const exportBlocks = async (home: string, to: string): Promise<void> => {
  const path = dataFile(home)
  if (!existsSync(path)) throw badFile(`${path} does not exist`)
  const started = performance.now()
  await assertSoundData(path)
  const progress = createProgress({ label: 'exporting', unit: 'blocks' })
  try {
    const store = await openBlocks(home)
    const { chain, first, head } = store.content
    const target = openTarget(to, `${chain.replaceAll(/[^\w.-]/g, '_')}-${head}.blocks`)
    try {
      await removeIfInterrupted(target.temporary, () =>
        store.write(target.path, (done, total) => progress.step(done, total)),
      ).finally(() => store.close())
      progress.stop()
      const { size } = statSync(target.path)
      const place = await target.deliver()
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      print`exported chain=${chain} first=${first} head=${head} bytes=${size} seconds=${seconds} to ${place}\n`
    } finally {
      target.close()
    }
  } catch (error) {
    throw error instanceof ExitError
      ? error
      : badFile(`the snapshot cannot be written: ${(error as Error).message}`)
  } finally {
    progress.stop()
  }
}

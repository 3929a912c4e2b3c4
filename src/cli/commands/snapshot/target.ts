import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { badFile } from '../../../base/exit.ts'
import { upload } from '../../../base/http/fileTransfer.ts'
import { meansHttpUrl } from '../../../base/http/httpUrl.ts'
import { showUrl } from '../../../base/logging/redaction.ts'
import { createProgress } from '../../output/progress.ts'
import { endingSignals } from './removeIfInterrupted.ts'

/** Where a snapshot goes: into a file, into a folder under a name of its own, or by PUT to a URL. */
export interface Target {
  /** The file that is written; for a URL a temporary one. */
  readonly path: string
  /** What is there only while it is written. */
  readonly temporary: readonly string[]
  /** Puts the file where it must be. Returns where that is, without what is secret in it. */
  deliver(): Promise<string>
  /** Removes what is temporary. */
  close(): void
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/** Opens a target; `name` is that of the file where the target does not say it. */
export const openTarget = (target: string, name: string): Target => {
  if (!meansHttpUrl(target)) {
    const path = isFolder(target) ? join(target, name) : target
    return { path, temporary: [`${path}.partial`], deliver: async () => path, close: () => undefined }
  }
  if (!URL.canParse(target)) throw badFile('the URL of the target cannot be read')
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-snapshot-'))
  const path = join(folder, name)
  return {
    path,
    temporary: [folder],
    deliver: async () => {
      const shown = showUrl(target)
      const progress = createProgress({ label: 'sending' })
      // The temporary file goes in any case.
      const stop = new AbortController()
      const interrupt = (): void => stop.abort()
      for (const signal of endingSignals) process.once(signal, interrupt)
      try {
        await upload(path, target, {
          signal: stop.signal,
          onBytes: (sent, size) => progress.step(sent, size),
        })
        return shown
      } catch (error) {
        throw stop.signal.aborted
          ? badFile('interrupted: the snapshot was not sent')
          : badFile(`${shown} does not take the snapshot: ${(error as Error).message}`)
      } finally {
        progress.stop()
        for (const signal of endingSignals) process.off(signal, interrupt)
      }
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

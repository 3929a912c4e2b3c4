import { writeFileAtomicallySync } from '../../base/files/atomicFile.ts'
import { readTextFile } from '../../base/files/readFile.ts'
import type { Logger } from '../../base/logging/log.ts'
import type { Config } from '../../config/settings/settings.ts'
import { retentionPath } from '../../home/layout.ts'

/** The settings of how much history is kept. */
type Retention = Pick<Config, 'pruning' | 'minRetainBlocks'>

/** From the mode that keeps most. */
const modes: readonly Config['pruning'][] = ['archive', 'default', 'everything']

/** Returns which kinds of history the settings keep less of than the start before, which began to remove what it did not keep. */
export const findReductions = (config: Config): { readonly states: boolean; readonly bodies: boolean } => {
  const known = readRetention(config.home)
  const bodiesOf = ({ minRetainBlocks = Number.POSITIVE_INFINITY }: Retention): number => minRetainBlocks
  return {
    states: modes.indexOf(config.pruning) > modes.indexOf(known.pruning),
    bodies: bodiesOf(config) < bodiesOf(known),
  }
}

/** Records what is kept from now on, so that a restart with the same settings goes on removing without being told again. */
export const recordRetention = (
  { home, pruning, minRetainBlocks }: Config,
  log: Pick<Logger, 'warn'>,
): void => {
  const known = readRetention(home)
  if (known.pruning === pruning && known.minRetainBlocks === minRetainBlocks) return
  const text = `${JSON.stringify({ version: 1, pruning, minRetainBlocks }, undefined, 2)}\n`
  try {
    writeFileAtomicallySync(retentionPath(home), text, 0o600)
  } catch (error) {
    // A chain is served on a full disk too; all that is lost is that a later start asks once more.
    log.warn({ reason: (error as Error).message }, 'the retention could not be recorded')
  }
}

/** The file has a few words. */
const maxBytes = 4096

/** Reads what the last start kept. Where that is missing or damaged nobody agreed that anything may go. */
const readRetention = (home: string): Retention => {
  try {
    const { pruning, minRetainBlocks } = JSON.parse(readTextFile(retentionPath(home), maxBytes)) ?? {}
    return {
      pruning: modes.find((mode) => mode === pruning) ?? 'archive',
      minRetainBlocks: Number.isSafeInteger(minRetainBlocks) ? Number(minRetainBlocks) : undefined,
    }
  } catch {
    return { pruning: 'archive', minRetainBlocks: undefined }
  }
}

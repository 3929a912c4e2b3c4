import { join } from 'node:path'
import { badFile } from '../../base/exit.ts'
import { hasRoom } from '../../base/files/fileSystem.ts'
import type { Config } from '../../config/settings/settings.ts'
import { isOutOfSpace } from '../../engine/commitErrors.ts'
import type { ChainHost } from './startService.ts'

/** Has the chain opened again after a commit failed, or ends it. */
export const failedCommit = (
  config: Pick<Config, 'home' | 'engine'>,
  isEphemeral: boolean,
  reason: string,
  host: Pick<ChainHost, 'onFatal' | 'onCommitFailed'>,
): void => {
  const isFull = !hasRoom(join(config.home, 'data'))
  // A decided block cannot be rejected. LMDB calls a write that the end of the disk cut short an error of input and output.
  if ((isFull || isOutOfSpace(reason)) && config.engine === 'cometbft')
    return host.onFatal(
      badFile(`this node stops here: ${reason}: make room on the disk of ${config.home}, and start it again`),
    )
  // An ephemeral chain cannot be opened again.
  if (isEphemeral || host.onCommitFailed === undefined) return host.onFatal(badFile(reason))
  // Where the disk takes something all the same, nothing is waited for: the block comes back from the journal, and fails again.
  host.onCommitFailed(reason, isFull)
}

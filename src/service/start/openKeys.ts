import { badFile } from '../../base/exit.ts'
import type { LockWaitRecorder } from '../../base/profiling/lockWaitStats.ts'
import type { Config } from '../../config/settings/settings.ts'
import { KeystoreError } from '../../keystore/keystoreError.ts'
import { type NodeKeys, openNodeKeys } from '../../keystore/nodeKeys.ts'

/** Opens the keys of a home. Throws if other users can read their folder. */
export const openKeys = (
  { home, lightkdf }: Config,
  devKeys: readonly Uint8Array[],
  waits: LockWaitRecorder,
): NodeKeys => {
  try {
    return openNodeKeys({ home, isLight: lightkdf, devKeys, waits })
  } catch (error) {
    throw error instanceof KeystoreError ? badFile(error.message) : error
  }
}

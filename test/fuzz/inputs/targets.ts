import type { InputTarget } from './target.ts'
import { abciFrames, abciServer } from './targets/abci.ts'
import { keyFiles } from './targets/keyFiles.ts'
import { nativeTransactions, queryRequests } from './targets/nativeTransactions.ts'
import { rawTransactions } from './targets/rawTransactions.ts'
import { toml } from './targets/toml.ts'

/** Every reader of bytes that somebody else wrote, beside requests (`test/fuzz/requests`) and replies (`test/gateway/mutations`). */
export const inputTargets: Readonly<Record<string, () => InputTarget>> = {
  rawTransactions,
  keyFiles,
  toml,
  nativeTransactions,
  queryRequests,
  abciFrames,
  abciServer,
}

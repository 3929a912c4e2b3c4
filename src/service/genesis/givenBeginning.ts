import { readChainStart } from '../../app/chainOrigin.ts'
import { emptyTrieRoot } from '../../chain/block/trieRoot.ts'
import { type Beginning, beginningWith, findBeginningConflicts } from '../../chain/genesis/beginning.ts'
import { parseGenesisFile } from '../../chain/genesis/genesisFile.ts'
import { ConfigError } from '../../config/configError.ts'
import type { LoadedConfig } from '../../config/load.ts'
import type { Config } from '../../config/settings/settings.ts'
import { hasChainFile } from '../../home/layout.ts'
import { givenBeginning } from './givenChain.ts'

/**
 * Throws a ConfigError for settings of a dev genesis that contradict the chain of the home, or the genesis file with which it
 * begins, before anything is opened.
 */
export const checkGivenBeginning = async (
  { config, given }: LoadedConfig,
  isKept: boolean,
): Promise<void> => {
  const known = await findBeginning(config, isKept).catch(() => undefined) // what cannot be read is reported by opening it
  if (known === undefined) return
  const lines = findBeginningConflicts(givenBeginning(config, given), known.beginning).map(
    ({ name, got, where, began }) => `${name}: got ${got} (${where}), but ${known.words(began)}`,
  )
  if (lines.length > 0) throw new ConfigError(lines)
}

interface KnownBeginning {
  readonly beginning: Beginning
  /** Returns what a setting should have said, and what to do. */
  readonly words: (began: string) => string
}

const findBeginning = async (
  { home, genesis: path }: Config,
  isKept: boolean,
): Promise<KnownBeginning | undefined> => {
  const stored = isKept && hasChainFile(home) ? await readChainStart(home) : undefined
  if (stored !== undefined)
    return {
      beginning: stored.beginning,
      words: (began) => `the chain of this home began with ${began}: leave it out, or use another --home`,
    }
  if (path === undefined) return undefined
  const { config, header } = parseGenesisFile(path).genesis
  return {
    beginning: beginningWith(config, header(emptyTrieRoot), false),
    words: (began) => `the genesis ${path} begins with ${began}: leave it out, or change the file`,
  }
}

import { mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { writeFileAtomicallySync } from '../../base/files/atomicFile.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import type { ChainOverrides } from '../../families/detect/chainProbe.ts'
import { parseForks, withChainId } from '../../families/detect/forks.ts'
import { familyNamed } from '../../families/families.ts'
import { chainInfoPath } from '../../home/layout.ts'

/** What was detected of a chain, in a file of the home: a start serves the store with it while no node answers. */

export const saveChainInfo = (home: string, chainInfo: ChainInfo): void => {
  const path = chainInfoPath(home)
  mkdirSync(dirname(path), { recursive: true })
  const text = `${JSON.stringify({ ...chainInfo, config: chainInfo.config.source }, undefined, 2)}\n`
  if (readText(path) !== text) writeFileAtomicallySync(path, text, 0o644)
}

/** Returns what was saved, with the values that the operator configured since; undefined if there is nothing of use. */
export const loadChainInfo = (
  home: string,
  overrides: ChainOverrides & { readonly nativeChainId?: string | undefined },
): ChainInfo | undefined => {
  const text = readText(chainInfoPath(home))
  if (text === undefined) return undefined
  try {
    const saved = JSON.parse(text) as ChainInfo // written by the function above
    if (overrides.nativeChainId !== undefined && overrides.nativeChainId !== saved.nativeChainId)
      return undefined
    const family = overrides.family ?? saved.family
    familyNamed(family)
    const forks = overrides.forks ?? saved.config
    return {
      ...saved,
      family,
      config: withChainId(parseForks(forks), overrides.evmChainId),
      feeDenom: overrides.feeDenom ?? saved.feeDenom,
      decimals: overrides.decimals ?? saved.decimals,
      bech32Prefix: overrides.bech32Prefix ?? saved.bech32Prefix,
      evmPackage: overrides.evmPackage ?? saved.evmPackage,
      feemarketPackage: overrides.feemarketPackage ?? saved.feemarketPackage,
      earliestBlock: overrides.earliestBlock ?? saved.earliestBlock,
      earliestState: overrides.earliestState ?? saved.earliestState,
      hasAppMempool: overrides.hasAppMempool ?? saved.hasAppMempool,
    }
  } catch {
    // A file of another version, or a damaged one: the chain is detected when a node answers.
    return undefined
  }
}

const readText = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

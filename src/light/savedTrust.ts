import { equalBytes } from '../base/encoding/bytes.ts'
import { fromHex, toHex } from '../base/encoding/hex.ts'
import { toHeaderJson, toValidatorJson } from '../comet/data/cometJson.ts'
import { headerHash } from '../comet/data/headerHash.ts'
import { parseHeader } from '../comet/data/parseHeader.ts'
import { parseValidators } from '../comet/data/replies.ts'
import { ValidatorSet } from './validatorSet.ts'
import type { TrustedHeader } from './verifyHeader.ts'

/** The header with which trust began. */
export interface TrustRoot {
  readonly height: number
  readonly hash: Uint8Array
  readonly by: 'setting' | 'first use'
}

/** What is trusted between two runs. */
export interface SavedTrust {
  readonly chainId: string
  readonly root: TrustRoot
  /** The newest trusted header. */
  readonly newest: TrustedHeader
  /** Whether the stored blocks led to a trusted header. */
  readonly isStoreProven: boolean
}

const toTrustedJson = ({ header, validators, sinceMs }: TrustedHeader): object => ({
  header: toHeaderJson(header),
  validators: validators.source.map(toValidatorJson),
  ...(sinceMs === undefined ? {} : { since: sinceMs }),
})

interface TrustedJson {
  readonly header: unknown
  readonly validators: readonly unknown[]
  readonly since?: number
}

const fromTrustedJson = ({ header, validators, since }: TrustedJson): TrustedHeader => {
  const found = new ValidatorSet(parseValidators({ validators, total: String(validators.length) }).validators)
  const parsed = parseHeader(header)
  if (!equalBytes(found.hash, parsed.validatorsHash))
    throw new Error('its validators are not those of its header')
  return { header: parsed, validators: found, sinceMs: since }
}

/** Where trust is kept between two runs: a file, or a browser's storage. */
export interface TrustStore {
  /** Returns what was saved; undefined if there is nothing. Throws a `TrustError` if it is damaged: it says what may be trusted. */
  load(): SavedTrust | undefined
  save(trust: SavedTrust): void
}

/** Parses what `encodeTrust` wrote. Throws if it is damaged. */
export const parseTrust = (text: string): SavedTrust => {
  const saved = JSON.parse(text)
  const root = { ...saved.root, hash: fromHex(saved.root.hash) }
  const newest = fromTrustedJson(saved.newest)
  if (newest.header.height === root.height && !equalBytes(headerHash(newest.header), root.hash))
    throw new Error('its root has another hash')
  return { chainId: saved.chainId, root, newest, isStoreProven: saved.storeProven === true }
}

export const encodeTrust = ({ chainId, root, newest, isStoreProven }: SavedTrust): string =>
  JSON.stringify({
    chainId,
    root: { ...root, hash: toHex(root.hash) },
    newest: toTrustedJson(newest),
    storeProven: isStoreProven,
  })

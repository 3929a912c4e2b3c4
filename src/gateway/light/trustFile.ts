import { mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import { writeFileAtomicallySync } from '../../base/files/atomicFile.ts'
import { parseValidators } from '../client/cometResponses.ts'
import { parseHeader } from '../parse/header.ts'
import { headerHash } from '../verify/headerHash.ts'
import { toHeaderJson, upperHex } from './cometJson.ts'
import { TrustError } from './trustError.ts'
import { ValidatorSet } from './validatorSet.ts'
import type { TrustedHeader } from './verifyHeader.ts'

/** The header with which trust began. */
export interface TrustRoot {
  readonly height: number
  readonly hash: Uint8Array
  readonly by: 'setting' | 'first use'
}

/** What a gateway trusts, in a file beside the store. */
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
  validators: validators.source.map(({ address, keyType, key, power }) => ({
    address: upperHex(address),
    pub_key: { type: keyType, value: key },
    voting_power: String(power),
  })),
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

/**
 * Loads what was saved; undefined if there is nothing. A file that is damaged is an error: it says what may be trusted.
 * `hasRoot` says whether the operator named a block to trust.
 */
export const loadTrust = (path: string, hasRoot: boolean): SavedTrust | undefined => {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    const saved = JSON.parse(text)
    const root = { ...saved.root, hash: fromHex(saved.root.hash) }
    const newest = fromTrustedJson(saved.newest)
    if (newest.header.height === root.height && !equalBytes(headerHash(newest.header), root.hash))
      throw new Error('its root has another hash')
    return { chainId: saved.chainId, root, newest, isStoreProven: saved.storeProven === true }
  } catch (error) {
    const remedy = hasRoot
      ? 'remove it, and trust begins anew with the block of gateway.trust-height'
      : 'without it the gateway would trust the first node that it asks; remove it to do that, or set gateway.trust-height and gateway.trust-hash and remove it'
    throw new TrustError(`${path} cannot be read (${(error as Error).message}): ${remedy}`)
  }
}

export const saveTrust = (path: string, { chainId, root, newest, isStoreProven }: SavedTrust): void => {
  mkdirSync(dirname(path), { recursive: true })
  const saved = {
    chainId,
    root: { ...root, hash: toHex(root.hash) },
    newest: toTrustedJson(newest),
    storeProven: isStoreProven,
  }
  writeFileAtomicallySync(path, `${JSON.stringify(saved)}\n`, 0o644)
}

import { bech32 } from '@scure/base'

/** An address as the Cosmos SDK writes it; addresses of contracts and interchain accounts have 32 bytes. */
export interface Bech32Address {
  readonly prefix: string
  readonly bytes: Uint8Array
}

/** The longest text; longer than BIP-173 allows, because prefixes and long addresses of the SDK need it. */
const maxLength = 150
const isPrefix = /^[a-z][a-z0-9_]{0,82}$/

/** The suffixes that the SDK appends to an account's prefix for the other roles of an address. */
const roles = ['valoper', 'valcons']

/**
 * Returns the prefix that a client requested, or that of the chain. `valoper` and `valcons` alone mean the
 * chain's prefix with this suffix. Returns undefined for text that cannot be a prefix.
 */
export const resolvePrefix = (requested: string | undefined, chainPrefix: string): string | undefined => {
  if (requested === undefined) return chainPrefix
  if (roles.includes(requested)) return `${chainPrefix}${requested}`
  return isPrefix.test(requested) ? requested : undefined
}

export const toBech32 = ({ prefix, bytes }: Bech32Address): string =>
  bech32.encode(prefix, bech32.toWords(bytes), maxLength)

/** Decodes an address. Throws for a wrong checksum, mixed case, or a length that no address has. */
export const fromBech32 = (text: string): Bech32Address => {
  const { prefix, words } = bech32.decode(text as `${string}1${string}`, maxLength)
  const bytes = bech32.fromWords(words)
  if (bytes.length !== 20 && bytes.length !== 32)
    throw new Error(`an address of ${bytes.length} bytes: expected 20 or 32`)
  return { prefix, bytes }
}

import { bech32 } from '@scure/base'

/** An address as the Cosmos SDK writes it; those of contracts and interchain accounts are 32 bytes long. */
export interface Bech32Address {
  readonly prefix: string
  readonly bytes: Uint8Array
}

/** Longer than BIP-173 allows: prefixes and long addresses of the SDK need it. */
const maxLength = 150
const isPrefix = /^[a-z][a-z0-9_]{0,82}$/

/** What the SDK hangs behind an account's prefix for the other roles of an address. */
const roles = ['valoper', 'valcons']

/** `valoper` and `valcons` alone stand for those of the chain. Undefined for what can be no prefix. */
export const resolvePrefix = (asked: string | undefined, ofChain: string): string | undefined => {
  if (asked === undefined) return ofChain
  if (roles.includes(asked)) return `${ofChain}${asked}`
  return isPrefix.test(asked) ? asked : undefined
}

export const toBech32 = ({ prefix, bytes }: Bech32Address): string =>
  bech32.encode(prefix, bech32.toWords(bytes), maxLength)

/** Throws for a wrong checksum, mixed case, or a length that no address has. */
export const fromBech32 = (text: string): Bech32Address => {
  const { prefix, words } = bech32.decode(text as `${string}1${string}`, maxLength)
  const bytes = bech32.fromWords(words)
  if (bytes.length !== 20 && bytes.length !== 32)
    throw new Error(`an address of ${bytes.length} bytes: expected 20 or 32`)
  return { prefix, bytes }
}

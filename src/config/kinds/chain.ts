import { isMnemonic } from '../../base/crypto/mnemonic.ts'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import { type Kind, printable, quote, stringOnly, type TextParser } from './kind.ts'

/** The address of an account. */
export const address = (): Kind<Uint8Array> => {
  const fromText: TextParser<Uint8Array> = (text) =>
    /^0x[0-9a-fA-F]{40}$/.test(text) ? { value: fromHex(text) } : undefined
  return {
    label: 'text',
    wanted: 'an address',
    rule: '0x and 40 hex digits',
    fromText,
    fromToml: stringOnly(fromText),
    toToml: (value) => quote(toHex(value)),
  }
}

/** One of the known names, in upper or lower case. */
export const nameIn = <const T extends string>(known: readonly T[], wanted: string): Kind<T> => {
  const fromText: TextParser<T> = (text) => {
    const value = known.find((name) => name.toLowerCase() === text.toLowerCase())
    return value === undefined ? undefined : { value }
  }
  return {
    label: 'text',
    wanted,
    rule: `one of ${known.join(', ')}`,
    fromText,
    fromToml: stringOnly(fromText),
    toToml: quote,
  }
}

/** A mnemonic of BIP-39 words. */
export const mnemonic = (): Kind<string> => {
  const fromText: TextParser<string> = (value) =>
    printable.test(value) && isMnemonic(value) ? { value } : undefined
  return {
    label: 'text',
    wanted: 'a mnemonic of 12 to 24 words',
    rule: 'words of BIP-39, of which the last holds a checksum',
    fromText,
    fromToml: stringOnly(fromText),
    toToml: quote,
  }
}

import { fromHex, toHex } from '../../base/hex.ts'
import { isMnemonic } from '../../base/mnemonic.ts'
import { type Kind, printable, quote, stringOnly, type TextReader } from './kind.ts'

/** An account. */
export const address = (): Kind<Uint8Array> => {
  const fromText: TextReader<Uint8Array> = (text) =>
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

/** One of some names, whatever the case of their letters. */
export const nameIn = <const T extends string>(known: readonly T[], wanted: string): Kind<T> => {
  const fromText: TextReader<T> = (text) => {
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

/** Words of BIP-39. */
export const mnemonic = (): Kind<string> => {
  const fromText: TextReader<string> = (value) =>
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

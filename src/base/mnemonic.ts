import { validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'

/** Returns whether the words are a BIP-39 mnemonic with a valid checksum. */
export const isMnemonic = (words: string): boolean => validateMnemonic(words, wordlist)

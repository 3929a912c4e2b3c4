import { validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'

/** Whether these are words of BIP-39 with a checksum that is right. */
export const isMnemonic = (words: string): boolean => validateMnemonic(words, wordlist)

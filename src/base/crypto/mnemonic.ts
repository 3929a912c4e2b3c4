import { generateMnemonic, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'

/** Returns whether the words are a BIP-39 mnemonic with a valid checksum. */
export const isMnemonic = (words: string): boolean => validateMnemonic(words, wordlist)

/** Returns a new mnemonic of 12, 15, 18, 21 or 24 words: each three are 32 bits of chance. */
export const createMnemonic = (words: number): string => generateMnemonic(wordlist, (words / 3) * 32)

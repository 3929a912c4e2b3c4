import { keccak256 } from '../../base/crypto/crypto.ts'
import { concatBytes } from '../../base/encoding/bytes.ts'

const wordLength = 32

/** Returns a value as a word of the ABI. */
export const toWord = (value: bigint): Uint8Array =>
  Buffer.from(value.toString(16).padStart(2 * wordLength, '0'), 'hex')

/** Returns an address as a word of the ABI. Longer addresses of the SDK end in it, as its EVM modules have them. */
export const addressWord = (address: Uint8Array): Uint8Array => {
  const word = new Uint8Array(wordLength)
  const end = address.subarray(-20)
  word.set(end, wordLength - end.length)
  return word
}

/** Returns the topic of an indexed string, or of the signature of an event. */
export const textTopic = (text: string): Uint8Array => keccak256(Buffer.from(text))

/** Encodes arguments that are texts or integers. */
export const encodeArguments = (values: readonly (string | bigint)[]): Uint8Array => {
  const heads: Uint8Array[] = []
  const tails: Uint8Array[] = []
  let end = values.length * wordLength
  for (const value of values) {
    if (typeof value === 'bigint') {
      heads.push(toWord(value))
      continue
    }
    const bytes = Buffer.from(value)
    const padded = new Uint8Array(Math.ceil(bytes.length / wordLength) * wordLength)
    padded.set(bytes)
    heads.push(toWord(BigInt(end)))
    tails.push(toWord(BigInt(bytes.length)), padded)
    end += wordLength + padded.length
  }
  return concatBytes(...heads, ...tails)
}

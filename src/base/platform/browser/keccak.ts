import { keccak_256 as noble } from '@noble/hashes/sha3.js'

export const keccak256 = (data: Uint8Array): Uint8Array => noble(data)

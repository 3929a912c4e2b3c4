import { ripemd160 as noble } from '@noble/hashes/legacy.js'

export const ripemd160 = (data: Uint8Array): Uint8Array => noble(data)

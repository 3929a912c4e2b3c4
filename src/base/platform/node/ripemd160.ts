import { createHash, getHashes } from 'node:crypto'
import { ripemd160 as noble } from '@noble/hashes/legacy.js'

// OpenSSL 3 has it among its legacy algorithms, which a build may omit.
export const ripemd160: (data: Uint8Array) => Uint8Array = getHashes().includes('ripemd160')
  ? (data) => createHash('ripemd160').update(data).digest()
  : noble

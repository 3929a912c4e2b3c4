import { parentPort, workerData } from 'node:worker_threads'
import { scrypt } from '@noble/hashes/scrypt.js'
import type { ScryptParams } from './kdf.ts'

/** Runs one derivation; then the thread ends and its memory is released. */
const { password, params } = workerData as { password: Uint8Array; params: ScryptParams }
const { n, r, p, dklen, salt } = params
const maxmem = 128 * r * (n + p + 2) + 1024
parentPort?.postMessage(scrypt(password, salt, { N: n, r, p, dkLen: dklen, maxmem }))

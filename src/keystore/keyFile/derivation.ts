import { pbkdf2, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { startWorker } from '../../base/threads/builtFiles.ts'
import type { KdfParams, ScryptParams } from './kdf.ts'

const pbkdf2Async = promisify(pbkdf2)

/**
 * Returns whether the parameters violate n < 2^(16·r), as those of some key files do. RFC 7914 and OpenSSL require it.
 */
const isBeyondRfc = ({ n, r }: ScryptParams): boolean => 16 * r < 32 && n >= 2 ** (16 * r)

const scryptOnThread = (password: Uint8Array, params: ScryptParams): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const worker = startWorker('scrypt', { name: 'key', workerData: { password, params } })
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the scrypt thread ended without a result')))
  })

const scryptOnPool = (password: Uint8Array, { n, r, p, dklen, salt }: ScryptParams): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    // OpenSSL counts the blocks, two more for work, and the first and last pass.
    const maxmem = 128 * r * (n + p + 2) + 1024
    scrypt(password, salt, dklen, { N: n, r, p, maxmem }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    )
  })

/** Derives the key of a passphrase on another thread, because it takes up to a second and a quarter of a gigabyte. */
export const deriveKey = (password: Uint8Array, params: KdfParams): Promise<Uint8Array> => {
  switch (params.kind) {
    case 'scrypt':
      return isBeyondRfc(params) ? scryptOnThread(password, params) : scryptOnPool(password, params)
    case 'pbkdf2':
      return pbkdf2Async(password, params.salt, params.c, params.dklen, 'sha256')
  }
}

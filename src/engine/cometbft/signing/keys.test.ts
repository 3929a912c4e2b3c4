import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { ed25519 } from '@noble/curves/ed25519.js'
import { describe, expect, test } from 'vitest'
import { slow } from '../../../../test/support/slow.ts'
import { generateKey } from './keys.ts'

/** Runs code in a process whose memory is collected often; whether it came to its end. */
const endsUnderCollection = async (code: string): Promise<boolean> => {
  const child = spawn(
    process.execPath,
    ['--max-semi-space-size=1', '--import', 'tsx', '--input-type=module', '--eval', code],
    {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'ignore', 'inherit'],
      killSignal: 'SIGKILL',
    },
  )
  const [exitCode] = await once(child, 'close')
  return exitCode === 0
}

describe('a key of the engine', () => {
  test('is a seed with its public key', () => {
    const { publicKey, privateKey } = generateKey()
    expect(privateKey).toHaveLength(64)
    expect(privateKey.subarray(32)).toEqual(publicKey)
    expect(Buffer.from(ed25519.getPublicKey(privateKey.subarray(0, 32)))).toEqual(Buffer.from(publicKey))
  })

  // With `generateKeyPairSync`, Node 20 hangs somewhere in the first ten thousand.
  test('is made while memory is collected', slow, async () => {
    const code = `import { generateKey } from './keys.ts'; for (let i = 0; i < 10_000; i++) generateKey()`
    expect(await endsUnderCollection(code)).toBe(true)
  })
})

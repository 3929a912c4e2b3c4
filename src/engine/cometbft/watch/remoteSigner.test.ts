import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Logger } from '../../../base/logging/log.ts'
import { defaultSignerOptions, RemoteSignerWatch } from './remoteSigner.ts'

const complaint = 'SignerListener: Error accepting connection'

describe('what is known of a remote signer', () => {
  let logged: string[]
  let watch: RemoteSignerWatch

  beforeEach(() => {
    vi.useFakeTimers()
    logged = []
    const note = (level: string) => (_: unknown, text: string) => void logged.push(`${level} ${text}`)
    watch = new RemoteSignerWatch(
      { ...defaultSignerOptions, address: 'unix:///run/signer.sock' },
      {
        now: () => performance.now(),
        log: { error: note('error'), info: note('info') } as unknown as Logger, // what it uses
      },
    )
  })
  afterEach(() => {
    watch.close()
    vi.useRealTimers()
  })

  it('is away when CometBFT goes on complaining, which is said once, and there when it stops', () => {
    for (let at = 0; at < 60; at += 3) {
      watch.onMessage(complaint)
      vi.advanceTimersByTime(3_000)
    }
    expect(watch.failure).toMatch(/the remote signer does not answer on unix:\/\/\/run\/signer\.sock/)
    expect(logged).toEqual([`error ${watch.failure}`])
    vi.advanceTimersByTime(defaultSignerOptions.quietMs)
    expect(watch.failure).toBeUndefined()
    expect(logged.slice(1)).toEqual(['info the remote signer answers again'])
  })

  it('is there after a single complaint, and after other messages', () => {
    watch.onMessage(complaint)
    watch.onMessage('SignerListener: Ping timeout')
    vi.advanceTimersByTime(2_000)
    for (let count = 0; count < 5; count++) {
      watch.onMessage('SendTimeout')
      vi.advanceTimersByTime(3_000)
    }
    watch.onMessage(complaint)
    expect(watch.failure).toBeUndefined()
    expect(logged).toEqual([])
  })
})

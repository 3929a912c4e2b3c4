import fs, {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { encodeRecords, readRecords } from '../base/files/recordFile.ts'
import { Journal } from './journal.ts'

let folder: string
const file = () => join(folder, 'transactions.journal')
const payload = (length: number, fill: number) => new Uint8Array(length).fill(fill)
const payloads = [payload(100, 1), payload(7, 2), payload(300, 3)]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const write = (list: readonly Uint8Array[]): void => {
  const journal = new Journal(folder)
  journal.append(list)
  journal.close()
}

const reopen = () => {
  const journal = new Journal(folder)
  journal.close()
  return { found: journal.loaded, damaged: journal.damaged }
}

describe('the journal', () => {
  it('starts empty, in a file for its owner alone', () => {
    expect(reopen()).toEqual({ found: [], damaged: 0 })
    expect(statSync(file()).mode & 0o777).toBe(0o600)
  })

  it('gives back what was appended, in order, over several openings', () => {
    write(payloads.slice(0, 1))
    write(payloads.slice(1))
    expect(reopen()).toEqual({ found: payloads, damaged: 0 })
  })

  it('holds a record as soon as append returns: a killed process loses none', () => {
    const journal = new Journal(folder)
    journal.append(payloads)
    expect(new Journal(folder).loaded).toEqual(payloads)
    journal.close()
  })

  it('keeps every whole record before a torn end, wherever it is torn, and can go on', () => {
    write(payloads)
    const whole = readFileSync(file())
    const ends = [0, 108, 123, 431]
    fc.assert(
      fc.property(fc.integer({ min: 0, max: whole.length - 1 }), (length) => {
        writeFileSync(file(), whole.subarray(0, length))
        const kept = ends.filter((end) => end <= length).length - 1
        expect(reopen()).toEqual({ found: payloads.slice(0, kept), damaged: ends.includes(length) ? 0 : 1 })
        write([payload(5, 9)])
        expect(reopen()).toEqual({ found: [...payloads.slice(0, kept), payload(5, 9)], damaged: 0 })
      }),
    )
  })

  it('skips a damaged record and reads on', () => {
    write(payloads)
    const bytes = readFileSync(file())
    bytes[108 + 8 + 3] = 0xff // in the second payload
    writeFileSync(file(), bytes)
    expect(reopen()).toEqual({ found: [payloads[0], payloads[2]], damaged: 1 })
  })

  it('finds what follows a damaged length', () => {
    write(payloads)
    const bytes = readFileSync(file())
    bytes[108 + 3] = 0x80
    writeFileSync(file(), bytes)
    expect(reopen()).toEqual({ found: [payloads[0], payloads[2]], damaged: 1 })
  })

  it('does not believe marks in what is damaged: a client chose its content', () => {
    const mark = encodeRecords([Uint8Array.of(0)])
    const planted = Buffer.concat([payload(4, 1), ...Array.from({ length: 20 }, () => mark)])
    write([payload(100, 1), planted, payload(50, 2)])
    const whole = readFileSync(file())
    const torn = whole.subarray(0, 108 + 8 + planted.length - 3)
    const damaged = Buffer.from(whole)
    damaged[108 + 3] = 0x80
    for (const [bytes, kept] of [
      [torn, [payload(100, 1)]],
      [damaged, [payload(100, 1), payload(50, 2)]],
    ] as const) {
      writeFileSync(file(), bytes)
      expect(reopen().found).toEqual(kept)
    }
  })

  it('survives any one wrong byte, and never gives back what was not written', () => {
    write(payloads)
    const whole = readFileSync(file())
    const known = payloads.map((one) => Buffer.from(one).toString('hex'))
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (position, flip) => {
        const bytes = Buffer.from(whole)
        bytes[position] = (bytes[position] as number) ^ flip
        writeFileSync(file(), bytes)
        const { found, damaged } = reopen()
        expect(damaged).toBeGreaterThan(0)
        for (const one of found) expect(known).toContain(Buffer.from(one).toString('hex'))
      }),
    )
  })

  it('cuts off zeros that a crash left at the end', () => {
    write(payloads)
    appendFileSync(file(), Buffer.alloc(4_096))
    expect(reopen()).toEqual({ found: payloads, damaged: 1 })
    expect(statSync(file()).size).toBe(431)
  })

  it('is rewritten with what is still wanted, and goes on from there', async () => {
    const journal = new Journal(folder)
    journal.append(payloads)
    await journal.rewrite(payloads.slice(2))
    journal.append([payload(5, 9)])
    journal.close()
    expect(reopen()).toEqual({ found: [payloads[2], payload(5, 9)], damaged: 0 })
    expect(readdirSync(folder)).toEqual(['transactions.journal'])
  })

  it('loses nothing that it keeps to a process killed while it removes the rest', () => {
    // A killed process leaves any part of its last write.
    const steps: Buffer[] = []
    const journal = new Journal(folder)
    journal.append(payloads)
    steps.push(readFileSync(file()))
    journal.forgetAllBut(payloads.slice(1))
    steps.push(readFileSync(file()))
    journal.close()
    const [before, after] = steps as [Buffer, Buffer]
    const isAppended = after.subarray(0, before.length).equals(before)
    for (let length = isAppended ? before.length : after.length; length <= after.length; length++) {
      writeFileSync(file(), after.subarray(0, length))
      expect(reopen().found).toEqual(expect.arrayContaining(payloads.slice(1)))
    }
  })

  it('waits for the disk on another thread: a process killed meanwhile loses nothing', async () => {
    const journal = new Journal(folder)
    journal.append(payloads)
    const rewritten = journal.rewrite(payloads.slice(2))
    journal.append([payload(5, 9)])
    journal.forget([payload(5, 9)])
    journal.append([payload(6, 8)])
    // The old file is in its place, and has what came since.
    expect(readRecords(readFileSync(file()), 1_000).payloads).toHaveLength(6)
    await rewritten
    journal.append([payload(7, 7)])
    expect(readRecords(readFileSync(file()), 1_000).payloads).toHaveLength(5)
    journal.close()
    expect(reopen()).toEqual({ found: [payloads[2], payload(6, 8), payload(7, 7)], damaged: 0 })
    expect(readdirSync(folder)).toEqual(['transactions.journal'])
  })

  it('is what the last of several rewrites says, or stays if it is closed first', async () => {
    const journal = new Journal(folder)
    journal.append(payloads)
    await Promise.all([journal.rewrite(payloads.slice(1)), journal.rewrite(payloads.slice(2))])
    const abandoned = journal.rewrite([])
    journal.close()
    await abandoned
    await expect(journal.rewrite([])).rejects.toThrow('closed')
    expect(reopen()).toEqual({ found: [payloads[2]], damaged: 0 })
    expect(readdirSync(folder)).toEqual(['transactions.journal'])
  })

  it('stays as it is, and goes on, if the new file cannot be put in its place', async () => {
    const journal = new Journal(folder)
    journal.append(payloads)
    const rename = vi.spyOn(fs, 'renameSync').mockImplementationOnce(() => {
      throw new Error('EIO')
    })
    syncBuiltinESMExports()
    try {
      await expect(journal.rewrite([])).rejects.toThrow('EIO')
    } finally {
      rename.mockRestore()
      syncBuiltinESMExports()
    }
    journal.append([payload(5, 9)])
    journal.close()
    expect(reopen()).toEqual({ found: [...payloads, payload(5, 9)], damaged: 0 })
    expect(readdirSync(folder)).toEqual(['transactions.journal'])
  })

  describe('on a disk that is slow or fails', () => {
    afterEach(() => {
      vi.useRealTimers()
      vi.restoreAllMocks()
      syncBuiltinESMExports()
    })

    it.each([
      [1, ['new', 'old', 'new']],
      [9, ['new', 'old', 'new', 'old', 'new', 'old', 'new at once']],
    ])(
      'puts no file in its place that has less on the disk, after %i syncs of the old one',
      async (syncs, expected) => {
        vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
        const journal = new Journal(folder)
        journal.append(payloads)
        const steps: string[] = []
        let left = syncs
        vi.spyOn(fs, 'fsync').mockImplementation(((_: number, done: fs.NoParamCallback) => {
          steps.push('new')
          setImmediate(() => {
            // While this sync was under way the old file got another record, and was synced with it.
            if (left-- > 0) {
              journal.append([payload(5, 9)])
              vi.advanceTimersToNextTimer()
              steps.push('old')
            }
            done(null)
          })
        }) as typeof fs.fsync)
        vi.spyOn(fs, 'fsyncSync').mockImplementation(() => void steps.push('new at once'))
        syncBuiltinESMExports()
        await journal.rewrite([])
        expect(steps).toEqual(expected)
        journal.close()
        expect(reopen().found).toHaveLength(Math.min(syncs, 3))
      },
    )

    it('needs another rewrite if the name of the new file may not be on the disk', () => {
      const journal = new Journal(folder)
      let calls = 0
      vi.spyOn(fs, 'fsyncSync').mockImplementation(() => {
        // The first is that of the file.
        if (++calls === 2) throw new Error('EIO')
      })
      syncBuiltinESMExports()
      expect(() => journal.rewriteSync(payloads)).toThrow('EIO')
      expect(journal.needsRewrite).toBe(true)
      expect(() => journal.append([payload(5, 9)])).toThrow('EIO')
      journal.rewriteSync([...payloads, payload(5, 9)])
      expect(journal.needsRewrite).toBe(false)
      journal.close()
      expect(reopen().found).toEqual([...payloads, payload(5, 9)])
    })
  })

  it('removes what a process that was killed in a rewrite left behind', () => {
    write(payloads)
    writeFileSync(join(folder, '.transactions.journal.0123456789ab.tmp'), 'half')
    writeFileSync(join(folder, '.transactions.journal.notes.tmp'), 'of somebody else')
    expect(reopen().found).toEqual(payloads)
    expect(readdirSync(folder).sort()).toEqual(['.transactions.journal.notes.tmp', 'transactions.journal'])
  })

  it('knows when most of it is stale', () => {
    const journal = new Journal(folder)
    journal.append(Array.from({ length: 1_030 }, () => payload(1, 1)))
    expect([journal.isMostlyStale(3), journal.isMostlyStale(2)]).toEqual([false, true])
    journal.close()
  })

  it('syncs what is appended while a sync is under way as well', async () => {
    vi.useFakeTimers()
    const journal = new Journal(folder)
    try {
      journal.append([payload(1, 1)])
      vi.advanceTimersToNextTimer()
      // The sync of the first has begun, and nothing has been told of its end yet.
      journal.append([payload(1, 2)])
      expect(vi.getTimerCount()).toBe(1)
    } finally {
      vi.useRealTimers()
      journal.close()
    }
  })

  it('throws when its file cannot be written', () => {
    const journal = new Journal(folder)
    journal.close()
    expect(() => journal.append(payloads)).toThrow()
  })
})

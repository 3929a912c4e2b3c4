import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { BlockFetcher } from './blockFetcher.ts'
import { Follower } from './follow.ts'
import { FolderOutput } from './outputs.ts'

describe('a folder of records', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'follow-output-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  /** Begins in the folder, and ends before the first block. */
  const begin = async (traces: boolean): Promise<void> => {
    const output = await FolderOutput.open(folder, traces)
    const fetcher = { chainId: async () => '0x1' } as BlockFetcher // nothing else is asked
    const options = { from: 7, to: undefined, traces, pollMs: 10, onProgress: () => {} }
    await new Follower(options, { fetcher, output, signal: AbortSignal.abort() }).run()
    await output.close()
  }

  test.each(['blocks', 'logs'])('%s that no cursor counts are left as they are', async (kind) => {
    const path = join(folder, `${kind}.ndjson`)
    writeFileSync(path, '{"record":"mine"}\n')
    for (let times = 0; times < 2; times++)
      await expect(FolderOutput.open(folder, false)).rejects.toThrow(
        /has 18 bytes that no cursor\.json counts: .*another folder/,
      )
    expect(readFileSync(path, 'utf8')).toBe('{"record":"mine"}\n')
  })

  test('traces of another run are left as they are by one that begins to write them', async () => {
    await begin(false)
    writeFileSync(join(folder, 'traces.ndjson'), '{"record":"mine"}\n')
    await expect(FolderOutput.open(folder, true)).rejects.toThrow(/that no cursor\.json counts/)
    expect(readFileSync(join(folder, 'traces.ndjson'), 'utf8')).toBe('{"record":"mine"}\n')
  })

  test('a run that is killed before its first save is gone on with', async () => {
    await begin(false)
    appendFileSync(join(folder, 'blocks.ndjson'), '{"record":"blo')
    const output = await FolderOutput.open(folder, false)
    expect(output.cursor).toMatchObject({ next: 7, hash: '', bytes: { block: 0, log: 0 } })
    await output.close()
    expect(readFileSync(join(folder, 'blocks.ndjson'), 'utf8')).toBe('')
  })
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { fromHeadMessage, type HeadMessage } from '../../app/headMessage.ts'
import { packTransactions } from '../../app/packing.ts'
import type { Evm } from '../../evm/evm.ts'
import { BlockStore } from '../../store/blockStore.ts'
import { type AppOptions, createAppService } from './service.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'perihelion-service-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const optionsOf = (): AppOptions => ({
  path: join(folder, 'chain.mdb'),
  minFreeBytes: 0,
  pruning: 'archive',
  appearances: false,
  producesBlocks: false,
  genesis: {
    kind: 'dev',
    options: { chainId: 31_337n, accounts: [], coinbase: new Uint8Array(20), timestamp: 100n },
  },
})

/** Opens a chain while an error is thrown that has a code, as those of LMDB have. */
const openWith = (code: number | undefined, message: string): Promise<unknown> => {
  const fail = (): Promise<Evm> =>
    Promise.reject(Object.assign(new Error(message), code === undefined ? {} : { code }))
  return createAppService(optionsOf(), fail)
}

test.each([
  ['a corrupted page', -30_796, 'MDB_CORRUPTED: Located page was wrong type', 'DamagedFileError'],
  ['a page that is missing', -30_797, 'MDB_PAGE_NOTFOUND: Requested page not found', 'DamagedFileError'],
  ['a full disk', 28, 'No space left on device', 'StoreError'],
  ['a disk that fails', 5, 'Input/output error', 'StoreError'],
  ['too many readers', -30_790, 'MDB_READERS_FULL: Environment maxreaders limit reached', 'StoreError'],
  ['an error of another kind', undefined, 'a bug', 'Error'],
])('%s is called what it is', async (_, code, message, name) => {
  await expect(openWith(code, message)).rejects.toMatchObject({
    name,
    message: expect.stringContaining(message),
  })
})

const none = packTransactions([])
const numberOf = (head: HeadMessage): number => Number(fromHeadMessage(head).header.number)

test.each([
  ['kept', false],
  ['ephemeral', true],
])('a reset that fails leaves a chain that is %s as it was', async (_, isEphemeral) => {
  const service = await createAppService({ ...optionsOf(), isEphemeral })
  try {
    const decision = {
      time: 101,
      beneficiary: new Uint8Array(20),
      engineHash: new Uint8Array(32),
      gasLimit: 30_000_000n,
    }
    await service.produceBlock(decision, none)
    const { genesis } = optionsOf()
    const initialize = vi.spyOn(BlockStore.prototype, 'initialize').mockImplementationOnce(() => {
      throw new Error('it cannot be written')
    })
    await expect(service.reset(genesis, undefined)).rejects.toThrow('it cannot be written')
    initialize.mockRestore()
    expect(numberOf(service.opened())).toBe(1)
    expect(numberOf(await service.produceBlock({ ...decision, time: 102 }, none))).toBe(2)
    // And one that does not fail starts over.
    expect(numberOf(await service.reset(genesis, undefined))).toBe(0)
    expect(numberOf(await service.produceBlock(decision, none))).toBe(1)
  } finally {
    await service.close()
  }
})

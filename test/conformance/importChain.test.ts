import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readBlocks } from '../../src/app/import/chainFile.ts'
import { importFile, type RecoverSender } from '../../src/app/import/file.ts'
import { toHex } from '../../src/base/encoding/hex.ts'
import { type Block, encodeBlock, ommersHash as hashOf } from '../../src/chain/block/block.ts'
import type { Header } from '../../src/chain/block/header.ts'
import { recoverSender } from '../../src/chain/transaction/signature.ts'
import { type ImportSession, openImport } from '../../src/cli/commands/import/store.ts'
import { slow } from '../support/slow.ts'
import { hasOfficialChain, officialBlockRlps, officialBlocks } from './officialChain.ts'
import { executionApis, executionApisMissing } from './officialSuites.ts'

const headHash = '0xd226371d0b1551adb03fb52b71f08e3e11247fe9b1af994768af8cdaa8e7dcd7' // headfcu.json
const ignore = (): void => undefined
const findSender: RecoverSender = async ({ transaction }, fork) => recoverSender(transaction, fork)

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

describe('the import of a chain', () => {
  let folder: string
  let opened: ImportSession | undefined

  const open = async (change: (genesis: string) => string = (text) => text): Promise<ImportSession> => {
    await opened?.close()
    opened = undefined
    const path = join(executionApis, 'genesis.json')
    const genesis = { path, text: change(readFileSync(path, 'utf8')) }
    opened = await openImport(folder, { pruning: 'archive', appearances: true }, genesis)
    return opened
  }
  const importBytes = async (bytes: Uint8Array, size = 4096) => {
    const { importer, blocks } = await open()
    return importFile(importer, blocks, chunksOf(bytes, size), {
      recoverSender: findSender,
      onProgress: ignore,
    })
  }
  /** The chain up to a block that is changed. */
  const withChanged = (number: number, change: (block: Block) => Block): Uint8Array => {
    const blocks = officialBlocks().slice(0, number)
    return Buffer.concat(
      blocks.map((block, index) => encodeBlock(index === number - 1 ? change(block) : block)),
    )
  }
  const withHeader = (number: number, fields: Partial<Header>): Uint8Array =>
    withChanged(number, (block) => ({ ...block, header: { ...block.header, ...fields } }))

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-import-'))
  })
  afterEach(async () => {
    await opened?.close()
    opened = undefined
    rmSync(folder, { recursive: true, force: true })
  })

  test('blocks come out of chunks of any size', async (ctx) => {
    if (!hasOfficialChain) ctx.skip(executionApisMissing)
    const rlps = officialBlockRlps()
    const bytes = Buffer.concat(rlps)
    for (const size of [1, 777, 65_536, bytes.length]) {
      const read: Uint8Array[] = []
      for await (const block of readBlocks(chunksOf(bytes, size))) read.push(block.bytes)
      expect(read.map(toHex)).toEqual(rlps.map(toHex))
    }
  })

  test('the official chain is executed to its head, and a second run finds nothing to do', async (ctx) => {
    if (!hasOfficialChain) ctx.skip(executionApisMissing)
    const bytes = Buffer.concat(officialBlockRlps())
    expect(await importBytes(bytes)).toMatchObject({ number: 54n, blocks: 54, transactions: 249 })
    expect(toHex(opened?.importer.head.hash as Uint8Array)).toBe(headHash)
    expect(await importBytes(bytes)).toMatchObject({ number: 54n, blocks: 0 })
  })

  test('an import goes on where an earlier one ended, on either side of the merge', slow, async (ctx) => {
    if (!hasOfficialChain) ctx.skip(executionApisMissing)
    const rlps = officialBlockRlps()
    for (const [end, blocks] of [
      [5, 5],
      [30, 25],
      [45, 15],
      [54, 9],
    ] as const)
      expect((await importBytes(Buffer.concat(rlps.slice(0, end)))).blocks).toBe(blocks)
    expect(toHex(opened?.importer.head.hash as Uint8Array)).toBe(headHash)
  })

  test('another genesis is refused, and so is another block below the head', async (ctx) => {
    if (!hasOfficialChain) ctx.skip(executionApisMissing)
    await importBytes(Buffer.concat(officialBlockRlps().slice(0, 5)))
    await expect(open((text) => text.replace('0x5f5e100', '0x5f5e101'))).rejects.toThrow(
      /has the chain of genesis/,
    )
    await expect(importBytes(withHeader(3, { extraData: Uint8Array.of(1) }))).rejects.toThrow(
      /^block 3: hash: /,
    )
  })

  test('a file that ends within a block leaves what came before', async (ctx) => {
    if (!hasOfficialChain) ctx.skip(executionApisMissing)
    const bytes = Buffer.concat(officialBlockRlps().slice(0, 10))
    await expect(importBytes(bytes.subarray(0, -1))).rejects.toThrow(/the file ends within a block/)
    expect(opened?.importer.head.header.number).toBe(9n)
    expect((await importBytes(bytes)).number).toBe(10n)
  })

  const bytes32 = new Uint8Array(32).fill(7)
  const faults: readonly (readonly [field: string, number: number, fields: Partial<Header>])[] = [
    ['parentHash', 4, { parentHash: bytes32 }],
    ['number', 4, { number: 5n }],
    ['timestamp', 4, { timestamp: 1n }],
    ['difficulty', 4, { difficulty: 131_071n }],
    ['difficulty', 40, { difficulty: 1n }],
    ['nonce', 40, { nonce: Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 1) }],
    ['extraData', 4, { extraData: new Uint8Array(33) }],
    ['gasLimit', 4, { gasLimit: 200_000_000n }],
    ['baseFeePerGas', 28, { baseFeePerGas: 1n }],
    ['baseFeePerGas', 4, { baseFeePerGas: 1n }],
    ['ommersHash', 4, { ommersHash: bytes32 }],
    ['transactionsRoot', 4, { transactionsRoot: bytes32 }],
    ['withdrawalsRoot', 40, { withdrawalsRoot: bytes32 }],
    ['excessBlobGas', 44, { excessBlobGas: 131_072n }],
    ['blobGasUsed', 44, { blobGasUsed: 1n }],
    ['gasUsed', 4, { gasUsed: 1n }],
    ['receiptsRoot', 4, { receiptsRoot: bytes32 }],
    ['receiptsRoot', 20, { receiptsRoot: bytes32 }],
    ['logsBloom', 4, { logsBloom: new Uint8Array(256).fill(1) }],
    ['requestsHash', 47, { requestsHash: bytes32 }],
    ['stateRoot', 4, { stateRoot: bytes32 }],
    ['stateRoot', 54, { stateRoot: bytes32 }],
  ]
  for (const [field, number, fields] of faults)
    test(
      `a wrong ${field} in block ${number} is named, and the block before stays the head`,
      slow,
      async (ctx) => {
        if (!hasOfficialChain) ctx.skip(executionApisMissing)
        const one = new RegExp(`^block ${number}: ${field}: expected .+, got .+$`)
        await expect(importBytes(withHeader(number, fields))).rejects.toThrow(one)
        expect(opened?.importer.head.header.number).toBe(BigInt(number - 1))
      },
    )

  test('ommers have to be what they are said to be', async (ctx) => {
    if (!hasOfficialChain) ctx.skip(executionApisMissing)
    const blocks = officialBlocks()
    const number = blocks.findIndex(({ ommers }) => ommers.length > 0) + 1
    expect(number).toBeGreaterThan(0)
    const change = (changeOmmers: (ommers: readonly Header[], block: Block) => readonly Header[]) =>
      withChanged(number, (block) => {
        const ommers = changeOmmers(block.ommers, block)
        return { ...block, ommers, header: { ...block.header, ommersHash: hashOf(ommers) } }
      })
    const parent = blocks[number - 2]?.header as Header
    for (const [changed, message] of [
      [change((ommers) => [...ommers, ...ommers]), /ommers\[1\]: expected one that is new/],
      [change(() => [parent]), /ommers\[0\]: expected no ancestor/],
      [change(([ommer]) => [{ ...(ommer as Header), parentHash: bytes32 }]), /ommers\[0\]\.parentHash/],
      [change(([ommer]) => [{ ...(ommer as Header), difficulty: 5n }]), /ommers\[0\]\.difficulty/],
      [change(([ommer]) => [ommer, ommer, ommer] as Header[]), /ommers: expected at most 2, got 3/],
    ] as const)
      await expect(importBytes(changed)).rejects.toThrow(message)
  })
})

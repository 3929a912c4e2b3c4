import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readNativeFile, recordedHeights } from '../../../test/support/nativeRecordings.ts'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import type { TransactionLocation } from '../../chain/port/location.ts'
import { NativeQueryError } from '../../comet/data/nativeQuery.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import { decodeContents } from '../../cosmos/transaction/contents.ts'
import { createGatewayCosmosView } from './gatewayCosmosView.ts'

interface BlockReply {
  readonly block: { readonly data: { readonly txs: readonly string[] } }
}
interface ResultsReply {
  readonly txs_results: readonly { readonly code: number }[]
}

const blockAt = (height: number) => readNativeFile(`block-${height}.json`) as BlockReply
const resultsAt = (height: number) => readNativeFile(`block_results-${height}.json`) as ResultsReply

const chainInfo = {
  family: 'cosmos-evm-0.7',
  bech32Prefix: 'cosmos',
  evmPackage: 'cosmos.evm.vm.v1',
  feeDenom: 'atest',
  earliestBlock: 1,
} as ChainInfo // no other member is used

/** Opens the recorded chain with the two indexes that a store has. */
const open = () => {
  const ethereum = new Map<string, TransactionLocation>()
  const native = new Map<string, TransactionLocation>()
  for (const number of recordedHeights) {
    let count = 0
    for (const [index, text] of blockAt(number).block.data.txs.entries()) {
      const bytes = Buffer.from(text, 'base64')
      native.set(createHash('sha256').update(bytes).digest('hex').toUpperCase(), { number, index })
      if (resultsAt(number).txs_results[index]?.code !== 0) continue
      for (const { hash } of decodeContents(bytes)?.ethereum ?? [])
        ethereum.set(toHex(hash), { number, index: count++ })
    }
  }
  const view = createGatewayCosmosView({
    chainInfo,
    upstream: {
      block: async (height) => blockAt(height),
      blockResults: async (height) => resultsAt(height),
      signedHeader: async () => undefined,
      validators: async () => [],
    },
    locate: (hash) => ethereum.get(toHex(hash)),
    pooled: () => undefined,
    native: { locate: (hash) => native.get(Buffer.from(hash).toString('hex').toUpperCase()) },
  })
  return { view, ethereum, native }
}

const signal = new AbortController().signal
const bytesOf = (hash: string) => fromHex(`0x${hash}`)
const upper = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('hex').toUpperCase()

describe('the native side of a recorded chain', () => {
  it('maps every hash there and back', async () => {
    const { view, ethereum, native } = open()
    expect(ethereum.size).toBeGreaterThan(40)
    for (const id of ethereum.keys()) {
      const found = await view.nativeHash(fromHex(id), signal)
      expect(native.get(upper(found) ?? ''), id).toBeDefined()
      expect((await view.ethereumHashes(found as Uint8Array, signal))?.map(toHex)).toEqual([id])
    }
  })

  it("gives a transaction as the chain's own index does", async () => {
    const { view } = open()
    const recorded = readNativeFile('tx-cosmos.json') as { readonly hash: string }
    expect(await view.transaction(bytesOf(recorded.hash), signal)).toEqual(recorded)
    expect(await view.ethereumHashes(bytesOf(recorded.hash), signal)).toEqual([])
  })

  it('knows one that failed before it was executed by its native hash alone', async () => {
    const { view, native } = open()
    const failed = [...native].find(([, { number, index }]) => number === 251 && index === 1)?.[0] ?? ''
    expect(await view.transaction(bytesOf(failed), signal)).toMatchObject({ tx_result: { code: 5 } })
    expect(await view.ethereumHashes(bytesOf(failed), signal)).toEqual([])
  })

  it('has nothing of what is not there', async () => {
    const { view } = open()
    const nobody = new Uint8Array(32)
    expect(await view.nativeHash(nobody, signal)).toBeUndefined()
    expect(await view.ethereumHashes(nobody, signal)).toBeUndefined()
    expect(await view.transaction(nobody, signal)).toBeUndefined()
  })
})

it('says which native blocks are gone', async () => {
  const pruned = async () => {
    throw new NativeQueryError('pruned', 'height 5 is not available, lowest height is 9')
  }
  const view = createGatewayCosmosView({
    chainInfo,
    upstream: { block: pruned, blockResults: pruned, signedHeader: pruned, validators: pruned },
    locate: () => undefined,
    pooled: () => undefined,
    native: { locate: () => undefined },
  })
  await expect(view.block(5, signal)).rejects.toMatchObject({ kind: 'state pruned' })
})

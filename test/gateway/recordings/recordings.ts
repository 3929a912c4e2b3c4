import { bech32 } from '@scure/base'
import { parseChainConfig } from '../../../src/chain/config/chainConfig.ts'
import { parseBlock } from '../../../src/comet/data/parseBlock.ts'
import { parseResults } from '../../../src/comet/data/parseResults.ts'
import type { ChainInfo } from '../../../src/cosmos/chainInfo.ts'
import { checkConsistency } from '../../../src/families/convert/consistency.ts'
import type { ConversionContext } from '../../../src/families/convert/conversionContext.ts'
import { convertBlock } from '../../../src/families/convert/convertBlock.ts'
import type { ConvertedBlock } from '../../../src/families/convert/convertedBlock.ts'
import { encodeBlockRows } from '../../../src/store/blockRows.ts'
import { copyFrame, copyHashes, decodeFrame } from '../../../src/store/packing/frame.ts'
import { entryCount, textEntry } from '../../../src/store/packing/pages.ts'
import { blockForks } from '../../support/forks.ts'
import { readRecordedText } from '../../support/nativeRecordings.ts'

/** What was recorded from an `evmd` node: native answers, and what its own Ethereum server made of them. */

// biome-ignore lint/suspicious/noExplicitAny: recorded answers of another program, looked at member by member
export const recorded = (name: string): any => JSON.parse(readRecordedText(name))

export const heights = [1, 5, 89, 90, 144, 219, 250, 251, 815] as const

export const chainInfo: ChainInfo = {
  family: 'cosmos-evm-0.7',
  nativeChainId: '9001',
  config: parseChainConfig({
    chainId: 262144,
    ...blockForks,
    mergeNetsplitBlock: 0,
    shanghaiTime: 0,
    cancunTime: 0,
    pragueTime: 0,
  }),
  feeDenom: 'atest',
  decimals: 18,
  bech32Prefix: 'cosmos',
  evmPackage: 'cosmos.evm.vm.v1',
  feemarketPackage: 'cosmos.evm.feemarket.v1',
  earliestBlock: 1,
  earliestState: 1,
  hasAppMempool: true,
}

const miner = (address: string): Uint8Array =>
  bech32.fromWords(bech32.decode(address as `${string}1${string}`).words)

export const toConversionContext = (height: number): ConversionContext => {
  const { consensus_params: params, grpc } = recorded(`native/extra-${height}.json`)
  const account = grpc.find(({ method }: { method: string }) => method.endsWith('/ValidatorAccount'))
  return {
    miner: miner(account.response.accountAddress),
    maxGas: BigInt(params.consensus_params.block.max_gas),
  }
}

export const nativeAt = (height: number) => ({
  block: parseBlock(recorded(`native/block-${height}.json`)),
  results: parseResults(recorded(`native/block_results-${height}.json`)),
})

export const convertedAt = (height: number): ConvertedBlock => {
  const { block, results } = nativeAt(height)
  const converted = convertBlock(block, results, toConversionContext(height), chainInfo)
  checkConsistency(converted)
  return converted
}

const pagesText = (pages: readonly Uint8Array[]): string =>
  `[${pages
    .flatMap((page) => {
      const bytes = Buffer.from(page)
      return Array.from({ length: entryCount(bytes) }, (_, entry) =>
        Buffer.from(textEntry(bytes, entry) as Uint8Array).toString('latin1'),
      )
    })
    .join(',')}]`

/** A block as the store would serve it: the bytes of its rows put together. */
export const served = (converted: ConvertedBlock) => {
  const rows = encodeBlockRows(converted)
  const row = Buffer.from(rows.frame)
  const frame = decodeFrame(row)
  const around = Buffer.alloc(frame.openLength + frame.closeLength)
  copyFrame(row, frame, around)
  const open = around.toString('latin1', 0, frame.openLength)
  const close = around.toString('latin1', frame.openLength)
  const transactions = pagesText(rows.transactions)
  const list = Buffer.alloc(Math.max(0, 69 * frame.transactions - 1))
  if (rows.hashes !== undefined) copyHashes(Buffer.from(rows.hashes), list.length, list, 0)
  const hashes = list.toString('latin1')
  return {
    full: JSON.parse(open + transactions.slice(1, -1) + close),
    hashes: JSON.parse(open + hashes + close),
    transactions: JSON.parse(transactions),
    receipts: JSON.parse(pagesText(rows.receipts)),
  }
}

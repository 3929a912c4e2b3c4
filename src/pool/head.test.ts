import { expect, test } from 'vitest'
import type { Header } from '../chain/block/header.ts'
import { parseChainConfig } from '../chain/config/chainConfig.ts'
import { toPoolHead } from './head.ts'

const allAtGenesis = {
  ...{ homesteadBlock: 0, eip150Block: 0, eip155Block: 0, eip158Block: 0, byzantiumBlock: 0 },
  ...{ constantinopleBlock: 0, petersburgBlock: 0, istanbulBlock: 0, berlinBlock: 0, londonBlock: 0 },
  ...{ terminalTotalDifficulty: 0, shanghaiTime: 0, cancunTime: 0, pragueTime: 0, osakaTime: 0 },
}

test('the blobs of a block follow the schedule, when a head comes and when its time passes', () => {
  const blobs = { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 }
  const config = parseChainConfig({
    chainId: 7,
    ...allAtGenesis,
    bpo1Time: 1_000,
    blobSchedule: { cancun: blobs, prague: blobs, osaka: blobs, bpo1: { ...blobs, target: 2, max: 4 } },
  })
  const header = {
    number: 5n,
    timestamp: 900n,
    gasLimit: 30_000_000n,
    gasUsed: 0n,
    baseFeePerGas: 7n,
    blobGasUsed: 0n,
    excessBlobGas: 0n,
  } as Header // what is read
  let time = 999
  const head = toPoolHead(config, header, () => time)
  expect([head.fork, head.maxBlobs, head.renew?.()]).toEqual(['osaka', 9, undefined])
  time = 1_000
  expect(head.renew?.()).toMatchObject({ fork: 'osaka', maxBlobs: 4 })
  expect(toPoolHead(config, header, () => time)).toMatchObject({ maxBlobs: 4, renew: undefined })
})

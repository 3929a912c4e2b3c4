import { expect, test } from 'vitest'
import { codes } from '../../cosmos/codes.ts'
import { toNativeRows } from './nativeRows.ts'

const block = (code: number, ethereumIndexes: readonly number[]) => ({
  hash: new Uint8Array(32),
  height: 7,
  time: { seconds: 0n, nanos: 0 },
  proposer: new Uint8Array(20),
  transactions: [
    {
      hash: new Uint8Array(32).fill(1),
      code,
      codespace: '',
      log: '',
      gasWanted: 0n,
      gasUsed: 0n,
      types: ['/cosmos.evm.vm.v1.MsgEthereumTx'],
      ethereumIndexes,
      events: [],
    },
  ],
  fees: { decimalBaseFee: undefined, blockGas: undefined, maxGas: -1n, nextMaxGas: -1n },
})

test('a transaction that found no room is found in the later block that executed it, though it reverted', () => {
  const hasFailed = (code: number, ...ethereumIndexes: number[]): boolean | undefined =>
    toNativeRows(block(code, ethereumIndexes), new Uint8Array(0), 'cosmos').transactions[0]?.hasFailed
  expect(hasFailed(codes.noRoom)).toBe(true)
  expect(hasFailed(codes.failed, 0)).toBe(false)
  expect(hasFailed(codes.success, 0)).toBe(false)
})

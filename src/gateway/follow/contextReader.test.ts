import { expect, test } from 'vitest'
import type { NativeHeader } from '../../comet/data/nativeBlock.ts'
import { NativeQueryError, type NativeQueryErrorKind } from '../../comet/data/nativeQuery.ts'
import { unreadableAnswer } from '../../comet/data/refusals.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import { ConversionContextReader } from './contextReader.ts'

const never = new AbortController().signal
const chainInfo = {
  family: 'cosmos-evm-0.7',
  evmPackage: 'cosmos.evm.vm.v1',
  bech32Prefix: 'cosmos',
} as ChainInfo
const header = {
  proposerAddress: new Uint8Array(20).fill(1),
  consensusHash: new Uint8Array(32).fill(2),
  height: 7,
} as NativeHeader

/** A reader whose nodes reject with a text; undefined: they tell that there is no such validator, and the limit. */
const open = () => {
  const nodes = {
    refusal: undefined as string | undefined,
    kind: 'refused' as NativeQueryErrorKind,
    asked: 0,
  }
  const refuse = (text: string): Promise<never> => {
    nodes.asked++
    return Promise.reject(new NativeQueryError(nodes.kind, text))
  }
  const reader = new ConversionContextReader(
    {
      query: () => refuse(nodes.refusal ?? 'validator not found for cosmosvalcons1'),
      consensusParams: (): Promise<bigint> =>
        nodes.refusal === undefined ? Promise.resolve(30_000_000n) : refuse(nodes.refusal),
    } as never,
    chainInfo,
  )
  return { nodes, read: () => reader.read(header, never) }
}

const without = { miner: new Uint8Array(20), maxGas: -1n }

test('what the chain does not have is not requested again', async () => {
  const { nodes, read } = open()
  nodes.refusal = 'could not find consensus params for height 7'
  expect(await read()).toEqual(without)
  const { asked } = nodes
  expect(await read()).toEqual(without)
  expect(nodes.asked).toBe(asked)
})

test('a rejection that says nothing of the chain is not kept', async () => {
  const { nodes, read } = open()
  nodes.refusal = 'this key has no access'
  await expect(read()).rejects.toThrow('no access')
  nodes.refusal = undefined
  expect(await read()).toEqual({ ...without, maxGas: 30_000_000n })
})

test('blocks are taken without what nodes reject for good, and it is requested with each', async () => {
  const { nodes, read } = open()
  nodes.refusal = 'this key has no access'
  for (let attempt = 1; attempt < 5; attempt++) await expect(read()).rejects.toThrow('no access')
  expect(await read()).toEqual(without)
  nodes.refusal = undefined
  expect(await read()).toEqual({ ...without, maxGas: 30_000_000n })
})

test('blocks are taken without what no node answers readably, but not while nodes are away', async () => {
  const { nodes, read } = open()
  nodes.kind = 'unavailable'
  nodes.refusal = unreadableAnswer
  for (let attempt = 1; attempt < 5; attempt++) await expect(read()).rejects.toThrow(unreadableAnswer)
  expect(await read()).toEqual(without)
  nodes.refusal = 'no node can be used'
  for (let attempt = 0; attempt < 10; attempt++) await expect(read()).rejects.toThrow('no node can be used')
})

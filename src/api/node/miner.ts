import { z } from 'zod'
import { optionalParam, param } from '../../rpc/method.ts'
import { inputType, plainType } from '../../rpc/wireType.ts'
import { Done, nothing } from '../answers/done.ts'
import { privateMethod } from '../method.ts'
import { notSupported } from '../unsupported/unsupported.ts'
import { False } from '../wire/basic.ts'
import { Address } from '../wire/data.ts'
import { coinbase } from '../wire/exampleValues.ts'
import { Quantity, Uint64 } from '../wire/quantity.ts'

const isHex = /^0x(?:[0-9a-fA-F]{2})*$/

const extraSize = (extra: string): number =>
  isHex.test(extra) ? extra.length / 2 - 1 : Buffer.byteLength(extra)

/** Accepts DATA, or plain text as geth's console sends it. */
const ExtraData = inputType(
  z
    .string({ error: 'expected extra data: DATA or text' })
    .refine((extra) => extraSize(extra) <= 32, { error: 'expected extra data of at most 32 bytes' })
    .describe('DATA or text, at most 32 bytes'),
)

export const minerMethods = [
  privateMethod({
    name: 'miner_getHashrate',
    summary: 'Always the number 0: no work is proved here.',
    params: [],
    result: { name: 'hashrate', type: plainType(z.literal(0)) },
    examples: [{ name: 'none', params: [], result: 0 }],
    handler: () => 0 as const,
  }),
  privateMethod({
    name: 'miner_setExtra',
    summary: 'Not supported: the extra data of a block is not the proposer’s to choose.',
    params: [param('extra', ExtraData, 'The extra data.')],
    result: { name: 'set', type: False },
    examples: [],
    handler: notSupported('blocks of this chain carry no extra data, and no proposer can set any'),
  }),
  privateMethod({
    name: 'miner_setGasPrice',
    summary:
      'Writes the least gas price at which this node takes transactions to its configuration file, for the next start.',
    params: [param('price', Quantity, 'Wei per unit of gas.')],
    result: { name: 'saved', type: Done },
    examples: [{ name: '1 gwei', params: ['0x3b9aca00'], result: true }],
    handler: ([price], { saveMinimumGasPrice }) => saveMinimumGasPrice(price),
  }),
  privateMethod({
    name: 'miner_start',
    summary: 'Not supported: validators propose blocks in turn, and nothing is to be started.',
    params: [optionalParam('threads', Uint64, 'How many threads would mine.')],
    result: nothing,
    examples: [],
    handler: notSupported(
      'there is no mining to start: the consensus engine decides when this validator proposes a block',
    ),
  }),
  privateMethod({
    name: 'miner_stop',
    summary: 'Does nothing: there is no mining to stop.',
    params: [],
    result: nothing,
    examples: [{ name: 'nothing happens', params: [], result: null }],
    handler: () => {},
  }),
  privateMethod({
    name: 'miner_setGasLimit',
    summary: 'Always false: the gas limit of blocks is a rule of the chain.',
    params: [param('gasLimit', Uint64, 'The gas limit that blocks should have.')],
    result: { name: 'set', type: False },
    examples: [{ name: 'refused', params: ['0x1c9c380'], result: false }],
    handler: () => false as const,
  }),
  privateMethod({
    name: 'miner_setEtherbase',
    summary: 'Sets the address that receives the rewards of this validator, from its next block on.',
    params: [param('address', Address, 'Where rewards go.')],
    result: { name: 'set', type: Done },
    examples: [{ name: 'set', params: [coinbase], result: true }],
    handler: async ([address], { chain, saveCoinbase }) => {
      const before = await chain.network.coinbase()
      await chain.control.setCoinbase(address)
      try {
        await saveCoinbase(address)
      } catch (error) {
        // A client that gets an error must be able to rely on no change.
        await chain.control.setCoinbase(before)
        throw error
      }
    },
  }),
]

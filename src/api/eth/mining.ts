import { z } from 'zod'
import { param } from '../../rpc/method.ts'
import { patternString, plainType } from '../../rpc/wireType.ts'
import { privateMethod, publicMethod } from '../method.ts'
import { notSupported } from '../unsupported/unsupported.ts'
import { False } from '../wire/basic.ts'
import { Address, Bytes8, Hash, word32Text } from '../wire/data.ts'
import { coinbase } from '../wire/exampleValues.ts'
import { Quantity } from '../wire/quantity.ts'

const zeros = `0x${'00'.repeat(32)}`

/** A hash rate, which miners pad to 32 bytes. */
const Hashrate = plainType(
  patternString(/^0x[0-9a-fA-F]{1,64}$/, 'a hash rate: 0x and at most 64 hex digits'),
)

/** The methods for mining. These chains have no proof of work, because validators propose and vote. */
export const miningMethods = [
  publicMethod({
    name: 'eth_coinbase',
    summary: 'Gives the address that receives the rewards of this validator.',
    params: [],
    result: { name: 'address', type: Address },
    examples: [{ name: 'the address', params: [], result: coinbase }],
    handler: (_, { chain }) => chain.network.coinbase(),
  }),
  publicMethod({
    name: 'eth_mining',
    summary: 'Always false: blocks are proposed by validators, not mined.',
    params: [],
    result: { name: 'mining', type: False },
    examples: [{ name: 'never', params: [], result: false }],
    handler: () => false as const,
  }),
  privateMethod({
    name: 'eth_hashrate',
    summary: 'Always zero: no work is proved here.',
    params: [],
    result: { name: 'hashrate', type: Quantity },
    examples: [{ name: 'none', params: [], result: '0x0' }],
    handler: () => 0n,
  }),
  publicMethod({
    name: 'eth_submitHashrate',
    summary: 'Takes no hash rates: always false.',
    params: [param('hashrate', Hashrate, 'Hashes a second.'), param('id', Hash, 'A random id of the miner.')],
    result: { name: 'taken', type: False },
    examples: [{ name: 'refused', params: ['0x500000', zeros], result: false }],
    handler: () => false as const,
  }),
  publicMethod({
    name: 'eth_getWork',
    summary: 'Not supported: there is no work to hand out.',
    params: [],
    result: { name: 'work', type: plainType(z.array(word32Text)) },
    examples: [],
    handler: notSupported(
      'there is no proof of work here: validators propose and vote on blocks (see clique_getSigners)',
    ),
  }),
  publicMethod({
    name: 'eth_submitWork',
    summary: 'Takes no proof of work: always false.',
    params: [
      param('nonce', Bytes8, 'The nonce that was found.'),
      param('powHash', Hash, 'The hash of the header.'),
      param('mixDigest', Hash, 'The mix digest.'),
    ],
    result: { name: 'taken', type: False },
    examples: [{ name: 'refused', params: ['0x0000000000000001', zeros, zeros], result: false }],
    handler: () => false as const,
  }),
]

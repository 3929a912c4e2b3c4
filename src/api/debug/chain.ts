import { param } from '../../rpc/method.ts'
import { method } from '../method.ts'
import { never, notYet } from '../unsupported.ts'
import { anObject, Nothing } from '../wire/basic.ts'
import { BlockNumber, BlockNumberOrInteger } from '../wire/block.ts'
import { Bytes32, Data } from '../wire/data.ts'
import { Uint64 } from '../wire/quantity.ts'

const number = param('number', BlockNumberOrInteger, 'Height or tag of the block.')

export const debugChainMethods = [
  method({
    name: 'debug_getBlockRlp',
    summary: 'Gives the block at a height in RLP.',
    access: 'public',
    params: [number],
    result: { name: 'rlp', type: Data },
    examples: [],
    handler: notYet,
  }),
  method({
    name: 'debug_dumpBlock',
    summary: 'Gives the whole state after a block: every account with code and storage.',
    access: 'public',
    params: [param('block', BlockNumber, 'Height or tag of the block.')],
    result: { name: 'state', type: anObject('The state root, and the accounts by address') },
    examples: [],
    handler: notYet,
  }),
  method({
    name: 'debug_setHead',
    summary: 'Moves the head back to a height; what came after is gone.',
    access: 'private',
    params: [param('number', Uint64, 'The height that becomes the head.')],
    result: { name: 'nothing', type: Nothing },
    examples: [{ name: 'back to genesis', params: ['0x0'], result: null }],
    handler: notYet,
  }),
  method({
    name: 'debug_seedHash',
    summary: 'Not supported: seeds belong to proof of work.',
    access: 'public',
    params: [number],
    result: { name: 'seed', type: Bytes32 },
    examples: [],
    handler: never('there is no proof of work here, so no block has an ethash seed; nothing takes its place'),
  }),
]

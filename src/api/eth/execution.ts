import { toHex } from '../../base/hex.ts'
import type { CallOutcome } from '../../chain/port.ts'
import { revertReason } from '../../chain/revertReason.ts'
import { errorCodes, failed, RpcError } from '../../rpc/errors.ts'
import { optionalParam, param } from '../../rpc/method.ts'
import { andThen, latest } from '../lookup.ts'
import { method } from '../method.ts'
import { alice, bob, contract } from '../samples.ts'
import { notYet } from '../unsupported.ts'
import { Block } from '../wire/block.ts'
import { Data } from '../wire/data.ts'
import { BlockOverrides, StateOverrides } from '../wire/overrides.ts'
import { Uint64 } from '../wire/quantity.ts'
import { Transaction } from '../wire/transactionRequest.ts'

const params = [
  param('transaction', Transaction, 'What to run; without `to`, the data runs as init code.'),
  optionalParam('block', Block, 'The block on whose state it runs; latest when missing.'),
  optionalParam('stateOverrides', StateOverrides, 'Accounts that differ from the state.'),
  optionalParam('blockOverrides', BlockOverrides, 'Block members that differ from the block.'),
] as const

const reverted = (output: Uint8Array): RpcError => {
  const reason = revertReason(output)
  const message = reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`
  return new RpcError(errorCodes.reverted, message, toHex(output))
}

const returned = ({ isSuccess, isRevert, error, output }: CallOutcome): Uint8Array => {
  if (isSuccess) return output
  throw isRevert ? reverted(output) : failed(error ?? 'execution failed')
}

export const executionMethods = [
  method({
    name: 'eth_call',
    summary: 'Runs a call on the state of a block, without a transaction, and gives what it returns.',
    access: 'public',
    params,
    result: { name: 'returned', type: Data },
    examples: [
      {
        name: 'decimals() of a token',
        params: [{ to: contract, data: '0x313ce567' }, 'latest'],
        result: '0x0000000000000000000000000000000000000000000000000000000000000012',
      },
    ],
    handler: ([request, block, stateOverrides, blockOverrides], { chain }, { signal }) => {
      if (stateOverrides !== undefined || blockOverrides !== undefined) return notYet()
      return andThen(chain.executor.call(request, block ?? latest, signal), returned)
    },
  }),
  method({
    name: 'eth_estimateGas',
    summary: 'Finds the least gas with which a transaction succeeds.',
    access: 'public',
    params,
    result: { name: 'gas', type: Uint64 },
    examples: [
      {
        name: 'a transfer',
        params: [{ from: alice, to: bob, value: '0xde0b6b3a7640000' }],
        result: '0x5208',
      },
    ],
    handler: notYet,
  }),
]

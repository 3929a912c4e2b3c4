import { bech32 } from '@scure/base'
import { equalBytes, fromBigInt } from '../../../base/bytes.ts'
import { fromHex, toHex } from '../../../base/hex.ts'
import type { NetworkValidator } from '../../../chain/port/network.ts'
import { emptyCodeHash } from '../../../chain/state/world.ts'
import { bech32Prefix, evmDenom } from '../../../cosmos/denom.ts'
import {
  EstimateGasResponseSchema,
  EthCallRequestSchema,
  QueryAccountRequestSchema,
  QueryAccountResponseSchema,
  QueryBalanceRequestSchema,
  QueryBalanceResponseSchema,
  QueryBaseFeeRequestSchema,
  QueryBaseFeeResponseSchema,
  QueryCodeRequestSchema,
  QueryCodeResponseSchema,
  QueryConfigRequestSchema,
  QueryConfigResponseSchema,
  QueryGlobalMinGasPriceRequestSchema,
  QueryGlobalMinGasPriceResponseSchema,
  QueryParamsRequestSchema,
  QueryParamsResponseSchema,
  QueryStorageRequestSchema,
  QueryStorageResponseSchema,
  QueryValidatorAccountRequestSchema,
  QueryValidatorAccountResponseSchema,
} from '../../../cosmos/gen/cosmos/evm/vm/v1/query_pb.ts'
import { MsgEthereumTxResponseSchema } from '../../../cosmos/gen/cosmos/evm/vm/v1/tx_pb.ts'
import { configMessage } from './configMessage.ts'
import { readCall } from './dialectCall.ts'
import { headerOf, type Queries, query, refOf, stateOf, under } from './query.ts'
import { invalidArgument, sdkFault } from './queryFault.ts'

const isAddress = /^(?:0[xX])?[0-9a-fA-F]{40}$/

const addressOf = (text: string): Uint8Array => {
  if (!isAddress.test(text))
    throw invalidArgument(
      `address '${text.slice(0, 100)}' is not a valid ethereum hex address: invalid address`,
    )
  return fromHex(`0x${text.slice(-40)}`)
}

const isSlot = /^(?:0[xX])?[0-9a-fA-F]{0,64}$/

/** As geth reads a hash: shorter ones are padded on the left. */
const slotOf = (text: string): Uint8Array => {
  if (!isSlot.test(text)) throw invalidArgument('key is not a hex word of at most 32 bytes')
  return fromBigInt(BigInt(`0x0${text.replace(/^0[xX]/, '')}`), 32)
}

/** The state of accounts, calls, and what the chain says of itself, in the words of cosmos/evm. */
export const evmQueries: Queries = under('/cosmos.evm.vm.v1.Query', {
  Account: query(QueryAccountRequestSchema, QueryAccountResponseSchema, async ({ address }, scene) => {
    const account = await (await stateOf(scene)).account(addressOf(address))
    return {
      balance: (account?.balance ?? 0n).toString(),
      codeHash: toHex(account?.codeHash ?? emptyCodeHash),
      nonce: account?.nonce ?? 0n,
    }
  }),

  Balance: query(QueryBalanceRequestSchema, QueryBalanceResponseSchema, async ({ address }, scene) => ({
    balance: (await (await stateOf(scene)).balance(addressOf(address))).toString(),
  })),

  Storage: query(QueryStorageRequestSchema, QueryStorageResponseSchema, async ({ address, key }, scene) => ({
    value: toHex(await (await stateOf(scene)).storage(addressOf(address), slotOf(key))),
  })),

  Code: query(QueryCodeRequestSchema, QueryCodeResponseSchema, async ({ address }, scene) => ({
    code: await (await stateOf(scene)).code(addressOf(address)),
  })),

  Params: query(QueryParamsRequestSchema, QueryParamsResponseSchema, () => ({
    params: { evmDenom, extendedDenomOptions: { extendedDenom: evmDenom } },
  })),

  Config: query(QueryConfigRequestSchema, QueryConfigResponseSchema, (_, { chain }) => ({
    config: configMessage(chain.config),
  })),

  BaseFee: query(QueryBaseFeeRequestSchema, QueryBaseFeeResponseSchema, (_, scene) => {
    const { baseFeePerGas } = headerOf(scene)
    return baseFeePerGas === undefined ? {} : { baseFee: baseFeePerGas.toString() }
  }),

  // The pool's least price is each node's own; blocks know none.
  GlobalMinGasPrice: query(QueryGlobalMinGasPriceRequestSchema, QueryGlobalMinGasPriceResponseSchema, () => ({
    minGasPrice: '0',
  })),

  ValidatorAccount: query(
    QueryValidatorAccountRequestSchema,
    QueryValidatorAccountResponseSchema,
    async ({ consAddress }, { chain, height }) => ({
      accountAddress: accountOf(await chain.network.validatorSet(height), consAddress),
    }),
  ),

  EthCall: query(EthCallRequestSchema, MsgEthereumTxResponseSchema, async (request, scene) => {
    const { chain, height, signal } = scene
    const outcome = await chain.executor.call(readCall(request), refOf(height), signal)
    return {
      ret: outcome.output,
      vmError: outcome.error ?? '',
      gasUsed: outcome.gasUsed,
      maxUsedGas: outcome.gasUsed,
      blockHash: chain.blocks.hash(height) ?? new Uint8Array(0),
      blockTimestamp: headerOf(scene).timestamp,
    }
  }),

  EstimateGas: query(EthCallRequestSchema, EstimateGasResponseSchema, async (request, scene) => {
    if (request.gasCap < minimumGasCap) throw invalidArgument(`gas cap cannot be lower than ${minimumGasCap}`)
    const { chain, height, signal } = scene
    const { gas, failure } = await chain.executor.estimateGas(readCall(request), refOf(height), signal)
    if (failure === undefined) return { gas }
    return { ret: failure.output, vmError: failure.error ?? 'execution failed' }
  }),
})

const minimumGasCap = 21_000n

/** Who stands in the blocks of a validator, by the engine's address of it. */
const accountOf = (set: readonly NetworkValidator[], text: string): string => {
  const wanted = consensusAddress(text)
  const reward = set.find(({ engineAddress }) => equalBytes(engineAddress, wanted))?.reward
  if (reward === undefined)
    throw sdkFault('unknownRequest', `error while getting validator ${text}. validator does not exist`)
  return bech32.encodeFromBytes(bech32Prefix, reward)
}

const consensusAddress = (text: string): Uint8Array => {
  const decoded = bech32.decodeUnsafe(text, 120)
  const bytes = decoded && bech32.fromWordsUnsafe(decoded.words)
  if (!bytes) throw invalidArgument('the consensus address is no bech32')
  return Uint8Array.from(bytes)
}

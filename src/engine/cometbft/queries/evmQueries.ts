import { bech32 } from '@scure/base'
import { equalBytes, fromBigInt } from '../../../base/encoding/bytes.ts'
import { fromHex, toHex } from '../../../base/encoding/hex.ts'
import type { NetworkValidator } from '../../../chain/port/network.ts'
import { emptyCodeHash } from '../../../chain/state/evmState.ts'
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
import { parseCall } from './callArguments.ts'
import { toConfigMessage } from './configMessage.ts'
import {
  createQuery,
  headerAtContext,
  type QueryRoutes,
  stateAtContext,
  toBlockRef,
  withPrefix,
} from './query.ts'
import { invalidArgumentError, sdkError } from './queryError.ts'

const isAddress = /^(?:0[xX])?[0-9a-fA-F]{40}$/

const parseAddress = (text: string): Uint8Array => {
  if (!isAddress.test(text))
    throw invalidArgumentError(
      `address '${text.slice(0, 100)}' is not a valid ethereum hex address: invalid address`,
    )
  return fromHex(`0x${text.slice(-40)}`)
}

const isSlot = /^(?:0[xX])?[0-9a-fA-F]{0,64}$/

/** Parses a slot as geth parses a hash: shorter ones are padded on the left. */
const parseSlot = (text: string): Uint8Array => {
  if (!isSlot.test(text)) throw invalidArgumentError('key is not a hex word of at most 32 bytes')
  return fromBigInt(BigInt(`0x0${text.replace(/^0[xX]/, '')}`), 32)
}

/** The queries of cosmos/evm for accounts, calls and chain parameters. */
export const evmQueries: QueryRoutes = withPrefix('/cosmos.evm.vm.v1.Query', {
  Account: createQuery(
    QueryAccountRequestSchema,
    QueryAccountResponseSchema,
    async ({ address }, context) => {
      const account = await (await stateAtContext(context)).account(parseAddress(address))
      return {
        balance: (account?.balance ?? 0n).toString(),
        codeHash: toHex(account?.codeHash ?? emptyCodeHash),
        nonce: account?.nonce ?? 0n,
      }
    },
  ),

  Balance: createQuery(
    QueryBalanceRequestSchema,
    QueryBalanceResponseSchema,
    async ({ address }, context) => ({
      balance: (await (await stateAtContext(context)).balance(parseAddress(address))).toString(),
    }),
  ),

  Storage: createQuery(
    QueryStorageRequestSchema,
    QueryStorageResponseSchema,
    async ({ address, key }, context) => ({
      value: toHex(await (await stateAtContext(context)).storage(parseAddress(address), parseSlot(key))),
    }),
  ),

  Code: createQuery(QueryCodeRequestSchema, QueryCodeResponseSchema, async ({ address }, context) => ({
    code: await (await stateAtContext(context)).code(parseAddress(address)),
  })),

  Params: createQuery(QueryParamsRequestSchema, QueryParamsResponseSchema, () => ({
    params: { evmDenom, extendedDenomOptions: { extendedDenom: evmDenom } },
  })),

  Config: createQuery(QueryConfigRequestSchema, QueryConfigResponseSchema, (_, { chain }) => ({
    config: toConfigMessage(chain.config),
  })),

  BaseFee: createQuery(QueryBaseFeeRequestSchema, QueryBaseFeeResponseSchema, (_, context) => {
    const { baseFeePerGas } = headerAtContext(context)
    return baseFeePerGas === undefined ? {} : { baseFee: baseFeePerGas.toString() }
  }),

  // The minimum gas price is a setting of each node, not of the chain.
  GlobalMinGasPrice: createQuery(
    QueryGlobalMinGasPriceRequestSchema,
    QueryGlobalMinGasPriceResponseSchema,
    () => ({
      minGasPrice: '0',
    }),
  ),

  ValidatorAccount: createQuery(
    QueryValidatorAccountRequestSchema,
    QueryValidatorAccountResponseSchema,
    async ({ consAddress }, { chain, height }) => ({
      accountAddress: findValidatorAccount(await chain.network.validatorSet(height), consAddress),
    }),
  ),

  EthCall: createQuery(EthCallRequestSchema, MsgEthereumTxResponseSchema, async (request, context) => {
    const { chain, height, signal } = context
    const outcome = await chain.executor.call(parseCall(request), toBlockRef(height), signal)
    return {
      ret: outcome.output,
      vmError: outcome.error ?? '',
      gasUsed: outcome.gasUsed,
      maxUsedGas: outcome.gasUsed,
      blockHash: chain.blocks.hash(height) ?? new Uint8Array(0),
      blockTimestamp: headerAtContext(context).timestamp,
    }
  }),

  EstimateGas: createQuery(EthCallRequestSchema, EstimateGasResponseSchema, async (request, context) => {
    if (request.gasCap < minimumGasCap)
      throw invalidArgumentError(`gas cap cannot be lower than ${minimumGasCap}`)
    const { chain, height, signal } = context
    const { gas, failure } = await chain.executor.estimateGas(parseCall(request), toBlockRef(height), signal)
    if (failure === undefined) return { gas }
    return { ret: failure.output, vmError: failure.error ?? 'execution failed' }
  }),
})

const minimumGasCap = 21_000n

/** Returns the account of a validator in block headers, by the engine's address of the validator. */
const findValidatorAccount = (set: readonly NetworkValidator[], text: string): string => {
  const wanted = parseConsensusAddress(text)
  const reward = set.find(({ engineAddress }) => equalBytes(engineAddress, wanted))?.reward
  if (reward === undefined)
    throw sdkError('unknownRequest', `error while getting validator ${text}. validator does not exist`)
  return bech32.encodeFromBytes(bech32Prefix, reward)
}

const parseConsensusAddress = (text: string): Uint8Array => {
  const decoded = bech32.decodeUnsafe(text, 120)
  const bytes = decoded && bech32.fromWordsUnsafe(decoded.words)
  if (!bytes) throw invalidArgumentError('the consensus address is not bech32')
  return Uint8Array.from(bytes)
}

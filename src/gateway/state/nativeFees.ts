import type { Header } from '../../chain/block/header.ts'
import { unavailable } from '../../chain/chainError.ts'
import { evmMethods, feemarketMethods } from '../../cosmos/queries/moduleMethods.ts'
import type { FeeRules } from '../../served/servedFees.ts'
import type { ModuleQueries } from '../client/moduleQueries.ts'
import { type FeeMarket, nextBaseFee, nextWholeBaseFee, toWei } from '../convert/baseFee.ts'
import type { BlockFees } from '../convert/converted.ts'
import type { Family } from '../families/family.ts'

export interface NativeFeeDependencies {
  readonly queries: ModuleQueries
  /** Of the chain's coin. */
  readonly decimals: number
  readonly baseFeeScale: Family['baseFeeScale']
  /** Whether the EVM module tells the least price that all nodes take. */
  readonly hasGlobalMinGasPrice: boolean
  readonly head: () => Header
  /** Of a stored block. */
  readonly header: (number: number) => Header | undefined
  readonly feesOf: (number: number) => BlockFees | undefined
  /** A price of the operator's own, in wei. */
  readonly minimumGasPrice: bigint
  readonly timeoutMs: number
}

const one = 10n ** 18n

/** The rules of a chain's fee market: the base fee with all its fractions, and the least price that it takes. */
export const createNativeFees = (dependencies: NativeFeeDependencies): FeeRules => {
  const {
    queries,
    decimals,
    baseFeeScale,
    hasGlobalMinGasPrice,
    head,
    header: headerAt,
    feesOf,
    minimumGasPrice,
    timeoutMs,
  } = dependencies
  const isWhole = baseFeeScale === 'whole'
  const signal = () => AbortSignal.timeout(timeoutMs)

  /** Asked once for each head, by the cache of answers by height. */
  const marketAt = async (number: number): Promise<FeeMarket> => {
    const { params } = await queries.feemarket(feemarketMethods.params, {}, number, signal())
    if (params === undefined) throw unavailable('the chain does not tell how its fee market works')
    const baseFee = BigInt(params.baseFee || '0')
    return {
      noBaseFee: params.noBaseFee,
      changeDenominator: BigInt(params.baseFeeChangeDenominator),
      elasticity: BigInt(params.elasticityMultiplier),
      enableHeight: params.enableHeight,
      baseFee: isWhole ? baseFee * one : baseFee,
      minGasPrice: BigInt(params.minGasPrice || '0'),
    }
  }

  return {
    baseFeeAfter: async (header) => {
      const next = headerAt(Number(header.number) + 1)
      if (next !== undefined) return next.baseFeePerGas
      const number = Number(header.number)
      const market = await marketAt(number)
      const fees = feesOf(number)
      const parent = {
        height: number,
        decimalBaseFee: fees?.decimalBaseFee ?? market.baseFee,
        blockGas: fees?.blockGas ?? header.gasUsed,
        maxGas: fees?.nextMaxGas ?? header.gasLimit,
      }
      if (isWhole) return nextWholeBaseFee(parent, market)
      const fee = nextBaseFee(parent, market, decimals)
      return fee === undefined ? undefined : toWei(fee, decimals)
    },

    leastPrice: async () => {
      const number = Number(head().number)
      const market = await marketAt(number)
      let least = toWei(market.minGasPrice, decimals)
      if (hasGlobalMinGasPrice) {
        const { minGasPrice } = await queries.evm(evmMethods.globalMinGasPrice, {}, number, signal())
        if (BigInt(minGasPrice || '0') > least) least = BigInt(minGasPrice)
      }
      return minimumGasPrice > least ? minimumGasPrice : least
    },

    // As the chain's own node suggests it: what the base fee can rise by with the next block.
    usualTip: async () => {
      const { number, baseFeePerGas = 0n } = head()
      const { elasticity, changeDenominator } = await marketAt(Number(number))
      if (elasticity < 2n || changeDenominator === 0n) return 1n
      const tip = (baseFeePerGas * (elasticity - 1n)) / changeDenominator
      return tip > 0n ? tip : 1n
    },
  }
}

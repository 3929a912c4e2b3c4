import type { Header } from '../../chain/block/header.ts'
import { unavailable } from '../../chain/chainError.ts'
import { afterTimeout } from '../../comet/client/deadline.ts'
import { evmMethods, feemarketMethods } from '../../cosmos/queries/moduleMethods.ts'
import type { FeeRules } from '../../served/feeOracle.ts'
import { type FeeMarketParams, nextBaseFee, nextWholeBaseFee, toWei } from '../convert/baseFee.ts'
import type { BlockFees } from '../convert/convertedBlock.ts'
import type { Family } from '../family.ts'
import type { ModuleQueryClient } from '../queries/moduleQueryClient.ts'
import { toWholeNumber } from './moduleValues.ts'

export interface NativeFeeDependencies {
  readonly queries: ModuleQueryClient
  /** The decimals of the chain's coin. */
  readonly decimals: number
  readonly baseFeeScale: Family['baseFeeScale']
  /** Whether the EVM module has a query for the lowest gas price that all nodes accept. */
  readonly hasGlobalMinGasPrice: boolean
  readonly head: () => Header
  /** Returns the header of a stored block. */
  readonly header: (number: number) => Header | undefined
  readonly blockFees: (number: number) => BlockFees | undefined
  /** The operator's minimum gas price, in wei. */
  readonly minimumGasPrice: bigint
  readonly timeoutMs: number
}

const one = 10n ** 18n

/** Remembers what was read for the newest height: each price that is suggested until the next block needs it. */
const rememberNewest = <T>(read: (height: number) => Promise<T>): ((height: number) => Promise<T>) => {
  let known: { readonly height: number; readonly value: Promise<T> } | undefined
  return (height) => {
    if (known?.height === height) return known.value
    const value = read(height)
    const entry = { height, value }
    known = entry
    value.catch(() => {
      if (known === entry) known = undefined
    })
    return value
  }
}

/**
 * Creates the fee rules of a chain with a fee market module: the exact base fee, and the lowest price that it accepts.
 */
export const createNativeFeeRules = (dependencies: NativeFeeDependencies): FeeRules => {
  const {
    queries,
    decimals,
    baseFeeScale,
    hasGlobalMinGasPrice,
    head,
    header: headerAt,
    blockFees,
    minimumGasPrice,
    timeoutMs,
  } = dependencies
  const isWhole = baseFeeScale === 'whole'
  const signal = () => afterTimeout(timeoutMs)

  /** Queries the parameters of the fee market. */
  const marketAt = rememberNewest(async (number: number): Promise<FeeMarketParams> => {
    const { params } = await queries.feemarket(feemarketMethods.params, {}, number, signal())
    if (params === undefined) throw unavailable('the chain does not report how its fee market works')
    const baseFee = toWholeNumber(params.baseFee, 'the base fee')
    return {
      noBaseFee: params.noBaseFee,
      changeDenominator: BigInt(params.baseFeeChangeDenominator),
      elasticity: BigInt(params.elasticityMultiplier),
      enableHeight: params.enableHeight,
      baseFee: isWhole ? baseFee * one : baseFee,
      minGasPrice: toWholeNumber(params.minGasPrice, 'the lowest gas price'),
    }
  })

  const globalMinGasPrice = rememberNewest(async (number: number): Promise<bigint> => {
    const { minGasPrice } = await queries.evm(evmMethods.globalMinGasPrice, {}, number, signal())
    return toWholeNumber(minGasPrice, 'the lowest gas price')
  })

  return {
    baseFeeAfter: async (header) => {
      const next = headerAt(Number(header.number) + 1)
      if (next !== undefined) return next.baseFeePerGas
      const number = Number(header.number)
      const market = await marketAt(number)
      const fees = blockFees(number)
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

    minGasPrice: async () => {
      const number = Number(head().number)
      const market = await marketAt(number)
      let least = toWei(market.minGasPrice, decimals)
      if (hasGlobalMinGasPrice) {
        const price = await globalMinGasPrice(number)
        if (price > least) least = price
      }
      return minimumGasPrice > least ? minimumGasPrice : least
    },

    // The tip is the largest increase of the base fee in the next block, as the chain's node suggests it.
    defaultTip: async () => {
      const { number, baseFeePerGas = 0n } = head()
      const { elasticity, changeDenominator } = await marketAt(Number(number))
      if (elasticity < 2n || changeDenominator === 0n) return 1n
      const tip = (baseFeePerGas * (elasticity - 1n)) / changeDenominator
      return tip > 0n ? tip : 1n
    },
  }
}

import { maxUint256 } from '../../base/encoding/bytes.ts'
import { UpstreamError } from '../../comet/data/upstreamError.ts'
import type { TextEvent } from '../../cosmos/results/textEvent.ts'
import { toWei } from './baseFee.ts'

/** Returns the value of an attribute in the last event of a type. */
export const findBlockAttribute = (
  events: readonly TextEvent[],
  type: string,
  name: string,
): string | undefined =>
  events.findLast((event) => event.type === type)?.attributes.find(({ key }) => key === name)?.value

const isDecimal = /^(\d{1,78})(?:\.(\d{1,18}))?$/

/** Returns a number that a header can hold. Events are proven by no hash, so a node can tell any. */
const asUint256 = (value: bigint, where: string): bigint => {
  if (value > maxUint256) throw new UpstreamError(`${where} is too large`)
  return value
}

/** Parses a decimal number and scales it by 10^18. */
const scaledOf = (text: string, where: string): bigint => {
  const [, whole, fraction = ''] = isDecimal.exec(text) ?? []
  if (whole === undefined) throw new UpstreamError(`${where} is not a decimal number`)
  return asUint256(BigInt(whole) * 10n ** 18n + BigInt(fraction.padEnd(18, '0')), where)
}

/** Returns the base fee of the `fee_market` event, in the chain's denomination and scaled by 10^18. */
export const parseDecimalBaseFee = (events: readonly TextEvent[]): bigint | undefined => {
  const text = findBlockAttribute(events, 'fee_market', 'base_fee')
  return text === undefined || text === '' ? undefined : scaledOf(text, 'base_fee of fee_market')
}

const integerOf = (text: string, where: string): bigint => {
  if (!/^[0-9]{1,78}$/.test(text)) throw new UpstreamError(`${where} is not a number`)
  return asUint256(BigInt(text), where)
}

/**
 * Returns the base fee in wei: that of `evm_fee_market` or, if there is no such event, the decimal one scaled to 18
 * decimals.
 */
export const parseBaseFee = (events: readonly TextEvent[], decimals: number): bigint | undefined => {
  const text = findBlockAttribute(events, 'evm_fee_market', 'base_fee')
  if (text !== undefined && text !== '') return integerOf(text, 'base_fee of evm_fee_market')
  const decimal = parseDecimalBaseFee(events)
  return decimal === undefined ? undefined : toWei(decimal, decimals)
}

/** Returns the gas that the fee market counts (`block_gas`). */
export const parseBlockGas = (events: readonly TextEvent[]): bigint | undefined => {
  const text = findBlockAttribute(events, 'block_gas', 'amount')
  return text === undefined ? undefined : integerOf(text, 'amount of block_gas')
}

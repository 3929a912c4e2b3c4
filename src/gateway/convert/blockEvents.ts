import type { TextEvent } from '../../cosmos/results/textEvent.ts'
import { UpstreamFault } from '../parse/upstreamFault.ts'
import { toWei } from './baseFee.ts'

/** The value that the block's last event of a type has for a key. */
export const blockValue = (events: readonly TextEvent[], type: string, name: string): string | undefined =>
  events.findLast((event) => event.type === type)?.attributes.find(({ key }) => key === name)?.value

const isDecimal = /^(\d{1,78})(?:\.(\d{1,18}))?$/

/** Decimal text times 10^18. */
const scaledOf = (text: string, where: string): bigint => {
  const [, whole, fraction = ''] = isDecimal.exec(text) ?? []
  if (whole === undefined) throw new UpstreamFault(`${where} is not a decimal number`)
  return BigInt(whole) * 10n ** 18n + BigInt(fraction.padEnd(18, '0'))
}

/** `fee_market`: the base fee in the chain's own unit, times 10^18. */
export const decimalBaseFee = (events: readonly TextEvent[]): bigint | undefined => {
  const text = blockValue(events, 'fee_market', 'base_fee')
  return text === undefined || text === '' ? undefined : scaledOf(text, 'base_fee of fee_market')
}

const integerOf = (text: string, where: string): bigint => {
  if (!/^[0-9]{1,78}$/.test(text)) throw new UpstreamFault(`${where} is not a number`)
  return BigInt(text)
}

/** The base fee in wei: what `evm_fee_market` says, or the decimal one brought to 18 decimals where there is no such event. */
export const baseFeeOf = (events: readonly TextEvent[], decimals: number): bigint | undefined => {
  const text = blockValue(events, 'evm_fee_market', 'base_fee')
  if (text !== undefined && text !== '') return integerOf(text, 'base_fee of evm_fee_market')
  const decimal = decimalBaseFee(events)
  return decimal === undefined ? undefined : toWei(decimal, decimals)
}

/** `block_gas`: what the fee market counts. */
export const blockGasOf = (events: readonly TextEvent[]): bigint | undefined => {
  const text = blockValue(events, 'block_gas', 'amount')
  return text === undefined ? undefined : integerOf(text, 'amount of block_gas')
}

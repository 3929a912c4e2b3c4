/** The next base fee by the rule of the fee market (section 7), at 18 decimals; of Ethermint in whole units. */

const one = 10n ** 18n

/** Division rounds half to even, as the SDK's decimals do where they multiply. */
const mulRound = (a: bigint, b: bigint): bigint => {
  const product = a * b
  const quotient = product / one
  const rest = product % one
  if (rest * 2n < one || (rest * 2n === one && quotient % 2n === 0n)) return quotient
  return quotient + 1n
}

export const nextFee = (fee: bigint, gas: bigint, maxGas: bigint, decimalFees: boolean): bigint => {
  const target = maxGas / 2n
  if (target === 0n) return 0n
  if (gas === target) return fee
  const distance = gas > target ? gas - target : target - gas
  if (!decimalFees) {
    const whole = fee / one
    const change = (whole * distance) / target / 8n
    if (gas > target) return (whole + (change > 1n ? change : 1n)) * one
    return (whole > change ? whole - change : 0n) * one
  }
  const change = mulRound(distance * one, fee) / target / 8n
  if (gas > target) return fee + (change > one ? change : one)
  return fee > change ? fee - change : 0n
}

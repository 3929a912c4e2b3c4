import type { Header } from '../block/header.ts'

/** The base fee of the first London block (EIP-1559). */
export const initialBaseFee = 1_000_000_000n
const elasticityMultiplier = 2n
const changeDenominator = 8n

/** Returns the base fee of the block after `parent`: the initial one if the parent is from before London. */
export const nextBaseFee = ({
  baseFeePerGas,
  gasLimit,
  gasUsed,
}: Pick<Header, 'baseFeePerGas' | 'gasLimit' | 'gasUsed'>): bigint => {
  if (baseFeePerGas === undefined) return initialBaseFee
  const target = gasLimit / elasticityMultiplier
  if (gasUsed === target || target === 0n) return baseFeePerGas
  if (gasUsed > target) {
    const change = (baseFeePerGas * (gasUsed - target)) / target / changeDenominator
    return baseFeePerGas + (change > 1n ? change : 1n)
  }
  return baseFeePerGas - (baseFeePerGas * (target - gasUsed)) / target / changeDenominator
}

import { type Fork, since } from '../config/forks.ts'
import type { Header } from './header.ts'

const ether = 10n ** 18n

/** Returns the reward of a block (EIP-649 and 1234). */
const rewardAt = (fork: Fork): bigint => {
  if (since(fork, 'constantinople')) return 2n * ether
  return since(fork, 'byzantium') ? 3n * ether : 5n * ether
}

/** Returns the rewards of a proof-of-work block and their recipients; empty from Paris on. */
export const blockRewards = (
  fork: Fork,
  header: Pick<Header, 'number' | 'beneficiary'>,
  ommers: readonly Pick<Header, 'number' | 'beneficiary'>[],
): { readonly address: Uint8Array; readonly amount: bigint }[] => {
  if (since(fork, 'paris')) return []
  const reward = rewardAt(fork)
  return [
    ...ommers.map(({ number, beneficiary }) => ({
      address: beneficiary,
      amount: (reward * (8n + number - header.number)) / 8n,
    })),
    { address: header.beneficiary, amount: reward + (reward / 32n) * BigInt(ommers.length) },
  ]
}

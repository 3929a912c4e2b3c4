import { busy, heavy, logger, setUp } from './accounts.ts'
import { compileToken, compileWorkbench } from './contracts.ts'
import { encodeCall, recipient, type SignedTransaction, signCall } from './signing.ts'

export interface ChainSize {
  /** Blocks of one transaction with a hundred logs. */
  readonly logBlocks: number
  /** Blocks of `perBlock` transfers, of coins and of tokens in turn. */
  readonly busyBlocks: number
  readonly perBlock: number
  /** Transactions for tracers, each in a block of its own. */
  readonly heavyBlocks: number
}

/** The transactions of a chain by what they are for; each list entry is a block. */
export interface ChainPlan {
  readonly size: ChainSize
  readonly setUp: readonly SignedTransaction[]
  readonly logs: readonly SignedTransaction[]
  readonly busy: readonly (readonly SignedTransaction[])[]
  readonly heavy: readonly SignedTransaction[]
}

/** One block in so many has the rare topic. */
export const rareEvery = 250
export const rareTopic = `0x${'0'.repeat(58)}abcdef`
export const slotsFilled = 1_000
const workRounds = 700

const create = (code: string) => ({ gasLimit: 2_000_000n, to: undefined, data: `0x${code}` })

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

/** Signs the transactions of a chain whose contracts have these addresses. */
export const planChain = (size: ChainSize, contracts: { token: string; workbench: string }): ChainPlan => {
  const { token, workbench } = contracts
  const calls = [
    create(compileToken().bytecode.object),
    create(compileWorkbench().bytecode.object),
    {
      gasLimit: 100_000n,
      to: token,
      data: encodeCall('transfer(address,uint256)', busy.address, 10n ** 12n),
    },
    ...times(slotsFilled / 100, (index) => ({
      gasLimit: 3_000_000n,
      to: workbench,
      data: encodeCall('fill(uint256)', index * 100),
    })),
  ]
  const busyCall = (block: number, index: number) =>
    block % 2 === 0
      ? { gasLimit: 21_000n, to: recipient((block / 2) * size.perBlock + index), value: 1n }
      : {
          gasLimit: 60_000n,
          to: token,
          data: encodeCall(
            'transfer(address,uint256)',
            recipient(((block - 1) / 2) * size.perBlock + index),
            1,
          ),
        }
  return {
    size,
    setUp: calls.map((call, nonce) => signCall(setUp, nonce, call)),
    logs: times(size.logBlocks, (nonce) =>
      signCall(logger, nonce, {
        gasLimit: 1_000_000n,
        to: workbench,
        data: encodeCall('logs(uint256,uint256)', nonce, nonce % rareEvery === 7 ? rareTopic : 0),
      }),
    ),
    busy: times(size.busyBlocks, (block) =>
      times(size.perBlock, (index) => signCall(busy, block * size.perBlock + index, busyCall(block, index))),
    ),
    heavy: times(size.heavyBlocks, (nonce) =>
      signCall(heavy, nonce, {
        gasLimit: 2_000_000n,
        to: workbench,
        data: encodeCall('work(uint256,uint256)', workRounds, nonce + 1),
      }),
    ),
  }
}

/** The addresses of the first two contracts of the account that sets a chain up; they are checked against receipts. */
export const contracts = {
  token: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
  workbench: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512',
} as const

import { toHex } from '../../src/base/encoding/hex.ts'
import { systemContracts } from '../../src/chain/config/systemContracts.ts'
import { blockForks } from '../support/forks.ts'

export interface GenesisAccount {
  readonly balance: string
  readonly nonce?: string
  readonly code?: string
  readonly storage?: Readonly<Record<string, string>>
}

/**
 * 2050: a block made on demand takes the clock's time or, where that is not later than its parent's, one second more.
 * On a chain that begins in the future it is always the latter, so that each run of a script gives the same blocks.
 */
const laterThanNow = 0x96a49500

const blobs = { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 }

/** Geth's genesis JSON with all forks up to Osaka from the start, and with the system's contracts. */
export const createGenesis = (
  chainId: number,
  alloc: Readonly<Record<string, GenesisAccount>>,
  firstTime = laterThanNow,
): object => ({
  config: {
    chainId,
    ...blockForks,
    mergeNetsplitBlock: 0,
    terminalTotalDifficulty: 0,
    ...Object.fromEntries(['shanghai', 'cancun', 'prague', 'osaka'].map((name) => [`${name}Time`, 0])),
    blobSchedule: {
      cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 },
      prague: blobs,
      osaka: blobs,
    },
  },
  timestamp: `0x${firstTime.toString(16)}`,
  gasLimit: '0x3938700',
  difficulty: '0x0',
  baseFeePerGas: '0x3b9aca00',
  coinbase: `0x${'cb'.repeat(20)}`,
  alloc: {
    ...Object.fromEntries(
      Object.values(systemContracts).map(({ address, code }) => [
        toHex(address),
        { balance: '0x0', nonce: '0x1', code: toHex(code) },
      ]),
    ),
    ...alloc,
  },
})

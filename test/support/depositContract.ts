import { concatBytes } from '../../src/base/encoding/bytes.ts'
import { fromHex, toHex } from '../../src/base/encoding/hex.ts'
import { parseChainConfig } from '../../src/chain/config/chainConfig.ts'
import { createGenesis, type Genesis } from '../../src/chain/genesis/genesis.ts'

/** A deposit contract that logs an empty deposit, which makes a block invalid (EIP-6110). */
export const deposits = new Uint8Array(20).fill(0xdd)

/** PUSH32 topic, PUSH0, PUSH0, LOG1, and the number of calls in slot 0. */
const code = concatBytes(
  fromHex('0x7f649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5'),
  fromHex('0x5f5fa15f546001015f5500'),
)

export const withDepositContract = (genesis: Genesis): Genesis => {
  const config = parseChainConfig({ ...genesis.config.source, depositContractAddress: toHex(deposits) })
  const { changes } = createGenesis(
    config,
    [{ address: deposits, balance: 0n, nonce: 1n, code, storage: [] }],
    genesis.header(new Uint8Array(32)),
  )
  return {
    ...genesis,
    config,
    changes: {
      accounts: [...genesis.changes.accounts, ...changes.accounts],
      code: [...genesis.changes.code, ...changes.code],
    },
  }
}

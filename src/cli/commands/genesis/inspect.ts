import { genesisHashOf } from '../../../app/genesisHash.ts'
import { findGenesisProblems } from '../../../app/genesisProblems.ts'
import { toHex } from '../../../base/encoding/hex.ts'
import { GenesisError } from '../../../chain/config/gethJson.ts'
import type { ChainFindings } from '../../../chain/genesis/checks.ts'
import { type Genesis, parseGenesis } from '../../../chain/genesis/genesis.ts'
import { parseGenesisFile, readGenesisFile } from '../../../chain/genesis/genesisFile.ts'
import { parseValidatorConfig } from '../../../chain/validators/validatorConfig.ts'

/** Checks a genesis file as a start would. */
export const checkGenesisFile = async (file: string): Promise<ChainFindings> => {
  let genesis: Genesis
  try {
    genesis = parseGenesis(readGenesisFile(file).text, file)
  } catch (error) {
    if (!(error instanceof GenesisError)) throw error
    return { problems: [error.message], warnings: [] }
  }
  const { problems, warnings } = await findGenesisProblems(genesis, BigInt(Math.floor(Date.now() / 1000)))
  return { problems, warnings: [...warnings, ...findValidatorWarnings(genesis)] }
}

const findValidatorWarnings = ({ config }: Genesis): readonly string[] => {
  const validators = parseValidatorConfig(config.source)
  if (validators === undefined)
    return [
      'it names no validators (config.perihelion.validators): CometBFT needs them, one process does not',
    ]
  const unpaid = validators.validators.filter(({ reward }) => reward.every((byte) => byte === 0))
  return [
    ...(validators.admin === undefined
      ? ['it names no admin (config.perihelion.admin): no validator can be added later']
      : []),
    ...unpaid.map(
      ({ publicKey }) =>
        `the validator ${Buffer.from(publicKey).toString('base64')} has no reward address: it needs a coinbase to start`,
    ),
  ]
}

/** Returns what a genesis file says, a line for each part. */
export const describeGenesis = (file: string): readonly string[] => {
  const { genesis } = parseGenesisFile(file)
  const { config, changes } = genesis
  const header = genesis.header(new Uint8Array(32))
  const validators = parseValidatorConfig(config.source)
  const rows: readonly (readonly [string, string])[] = [
    ['chain id', `${config.chainId}`],
    ['first block', toHex(genesisHashOf(genesis))],
    ['time', new Date(Number(header.timestamp) * 1000).toISOString()],
    ['gas limit', `${header.gasLimit}`],
    ...config.activations.map(({ name, by, at }) => ['fork', `${name} from ${by} ${at} on`] as const),
    ['accounts', `${changes.accounts.length}`],
    ...(validators?.validators ?? []).map(
      ({ publicKey, power, reward }) =>
        [
          'validator',
          `${Buffer.from(publicKey).toString('base64')} power ${power} reward ${toHex(reward)}`,
        ] as const,
    ),
    ['admin', validators?.admin === undefined ? 'none' : toHex(validators.admin)],
  ]
  return rows.map(([label, value]) => `${label.padEnd(12)} ${value}`)
}

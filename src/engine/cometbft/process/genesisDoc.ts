import type { Validator } from '../../../chain/validators/validatorConfig.ts'
import { publicKeyJson, validatorAddress } from '../signing/keys.ts'

export interface GenesisDocOptions {
  /** The chain id of EIP-155. */
  readonly chainId: bigint
  /** The time in seconds. */
  readonly timestamp: bigint
  readonly validators: readonly Validator[]
}

/** The maximum size of a block, with room for wrapped transactions, the commit and evidence. */
const maxBlockBytes = 16 * 1024 * 1024

/** How long evidence of double signing is valid: until both limits have passed. */
export const evidenceAge = { blocks: 100_000, seconds: 172_800 } as const

/** Returns the engine's name of a chain, in the form in which Cosmos EVM chains contain the EIP-155 chain id. */
export const engineChainId = (chainId: bigint): string => `perihelion_${chainId}-1`

/** Returns the engine's genesis.json. It is derived from ours, so that there is only one source. */
export const createGenesisDoc = ({ chainId, timestamp, validators }: GenesisDocOptions): object => ({
  genesis_time: new Date(Number(timestamp) * 1000).toISOString(),
  chain_id: engineChainId(chainId),
  initial_height: '1',
  consensus_params: {
    // The application counts gas by Ethereum's rules, so the engine counts none.
    block: { max_bytes: `${maxBlockBytes}`, max_gas: '-1' },
    evidence: {
      max_age_num_blocks: `${evidenceAge.blocks}`,
      max_age_duration: `${evidenceAge.seconds}000000000`,
      max_bytes: '1048576',
    },
    validator: { pub_key_types: ['ed25519'] },
    version: { app: '0' },
    abci: { vote_extensions_enable_height: '0' },
  },
  validators: validators.map(({ publicKey, power }, index) => ({
    address: validatorAddress(publicKey),
    pub_key: publicKeyJson(publicKey),
    power: `${power}`,
    name: `validator-${index}`,
  })),
  app_hash: '',
})

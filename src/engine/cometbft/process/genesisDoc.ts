import type { Validator } from '../../../chain/validators/validators.ts'
import { keyAddress } from '../../proposers.ts'
import { publicKeyJson } from '../keys.ts'

export interface GenesisDocOptions {
  /** EIP-155. */
  readonly chainId: bigint
  /** Seconds. */
  readonly timestamp: bigint
  readonly validators: readonly Validator[]
}

/** Room for the transactions of a block in their wrappers, the commit and evidence. */
const maxBlockBytes = 16 * 1024 * 1024

/** How long a validator can be shown to have signed two blocks at one height: past both there is no evidence any more. */
export const evidenceAge = { blocks: 100_000, seconds: 172_800 } as const

/** The engine's name of a chain, in the form in which Cosmos EVM chains carry the EIP-155 number. */
export const engineChainId = (chainId: bigint): string => `perihelion_${chainId}-1`

/** The engine's genesis.json: it follows from ours, so that one file is the truth. */
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
    address: Buffer.from(keyAddress(publicKey)).toString('hex').toUpperCase(),
    pub_key: publicKeyJson(publicKey),
    power: `${power}`,
    name: `validator-${index}`,
  })),
  app_hash: '',
})

import { emptyBytes, maxUint64, maxUint256 } from '../../base/encoding/bytes.ts'
import { ommersHash } from '../block/block.ts'
import { bloomLength } from '../block/bloom.ts'
import type { Header } from '../block/header.ts'
import { requestsHash } from '../block/requestsHash.ts'
import { emptyTrieRoot } from '../block/trieRoot.ts'
import { namedBlobParameters } from '../config/blobParameters.ts'
import {
  type ChainConfig,
  forkAt,
  parseChainConfig,
  requireOsakaBeforeBlobForks,
} from '../config/chainConfig.ts'
import { type ExactJson, parseExactJson } from '../config/exactJson.ts'
import { since } from '../config/forks.ts'
import {
  GenesisError,
  type JsonObject,
  parseBytes,
  parseFixedBytes,
  parseInteger,
  parseObject,
} from '../config/gethJson.ts'
import { initialBaseFee } from '../fees/baseFee.ts'
import type { StateChanges } from '../state/evmState.ts'
import { parseValidatorConfig } from '../validators/validatorConfig.ts'
import { bounded, type GenesisAccount, parseAccount, toStateChanges } from './genesisAccount.ts'
import { rejectMisspeltMembers } from './members.ts'
import { withValidatorContracts } from './validatorContracts.ts'

/** The first block of a chain: its rules, its accounts, and its header once the accounts' root is known. */
export interface Genesis {
  readonly config: ChainConfig
  readonly changes: StateChanges
  /**
   * Returns the accounts as versions made them that did not commit to all rules of a chain with validators; missing for a
   * chain to which that does not apply.
   */
  readonly changesWithoutRules?: () => StateChanges
  /** Returns the header, with the root of the state that `changes` gives. */
  header(stateRoot: Uint8Array): Header
}

/** The header of a genesis with every default filled in, except for the state root. */
export type GenesisHeader = Omit<Header, 'stateRoot'>

/** geth's defaults. */
const defaultGasLimit = 4_712_388n
const ethashDifficulty = 131_072n

/** Returns the header fields that the forks added, with geth's values at block zero. */
export const defaultForkFields = (
  config: ChainConfig,
  number: bigint,
  timestamp: bigint,
  given: Pick<Header, 'baseFeePerGas' | 'blobGasUsed' | 'excessBlobGas'>,
): Partial<Header> => {
  const fork = forkAt(config, number, timestamp)
  return {
    ...(since(fork, 'london') && { baseFeePerGas: given.baseFeePerGas ?? initialBaseFee }),
    ...(since(fork, 'shanghai') && { withdrawalsRoot: emptyTrieRoot }),
    ...(since(fork, 'cancun') && {
      blobGasUsed: given.blobGasUsed ?? 0n,
      excessBlobGas: given.excessBlobGas ?? 0n,
      parentBeaconBlockRoot: new Uint8Array(32), // EIP-4788: the first block has no parent
    }),
    ...(since(fork, 'prague') && { requestsHash: requestsHash([]) }),
  }
}

/** The members of a header that say that its block is empty. */
export const emptyBody = {
  ommersHash: ommersHash([]),
  transactionsRoot: emptyTrieRoot,
  receiptsRoot: emptyTrieRoot,
  logsBloom: new Uint8Array(bloomLength),
}

const defaultDifficulty = (source: JsonObject, mixHash: Uint8Array): bigint =>
  source.ethash && mixHash.every((byte) => byte === 0) ? ethashDifficulty : 0n

const parseHeader = (fields: JsonObject, config: ChainConfig): GenesisHeader => {
  const uint64 = (member: string) => bounded(parseInteger(fields[member], member), maxUint64, member)
  const number = uint64('number') ?? 0n
  if (number !== 0n) throw new GenesisError(`the first block has number ${number}`)
  const timestamp = uint64('timestamp') ?? 0n
  const gasLimit = uint64('gasLimit') ?? defaultGasLimit
  if (gasLimit === 0n) throw new GenesisError('gasLimit is zero: no transaction would fit')
  const mixHash = parseFixedBytes(fields.mixHash ?? fields.mixhash, 32, 'mixHash') ?? new Uint8Array(32)
  const nonce = Buffer.alloc(8)
  nonce.writeBigUInt64BE(uint64('nonce') ?? 0n)
  const baseFee = bounded(parseInteger(fields.baseFeePerGas, 'baseFeePerGas'), maxUint256, 'baseFeePerGas')
  return {
    parentHash: parseFixedBytes(fields.parentHash, 32, 'parentHash') ?? new Uint8Array(32),
    ...emptyBody,
    beneficiary: parseFixedBytes(fields.coinbase, 20, 'coinbase') ?? new Uint8Array(20),
    difficulty:
      bounded(parseInteger(fields.difficulty, 'difficulty'), maxUint256, 'difficulty') ??
      defaultDifficulty(config.source, mixHash),
    number,
    gasLimit,
    gasUsed: uint64('gasUsed') ?? 0n,
    timestamp,
    extraData: parseBytes(fields.extraData, 'extraData') ?? emptyBytes,
    mixHash,
    nonce: new Uint8Array(nonce),
    ...defaultForkFields(config, number, timestamp, {
      baseFeePerGas: baseFee,
      blobGasUsed: uint64('blobGasUsed'),
      excessBlobGas: uint64('excessBlobGas'),
    }),
  }
}

export const createGenesis = (
  config: ChainConfig,
  accounts: readonly GenesisAccount[],
  header: GenesisHeader,
): Genesis => ({
  config,
  changes: toStateChanges(withValidatorContracts(config, accounts)),
  ...(parseValidatorConfig(config.source) !== undefined && {
    changesWithoutRules: () => toStateChanges(withValidatorContracts(config, accounts, false)),
  }),
  header: (stateRoot) => ({ ...header, stateRoot }),
})

/**
 * Parses a genesis in geth's format. Throws a GenesisError that names the invalid member, and the file if its name is
 * given.
 */
export const parseGenesis = (text: string, file?: string): Genesis => {
  try {
    return parseGenesisText(text)
  } catch (error) {
    if (file === undefined || !(error instanceof GenesisError)) throw error
    throw new GenesisError(`${file}: ${error.message}`)
  }
}

const parseGenesisText = (text: string): Genesis => {
  const fields = parseObject(parseText(text), 'the genesis')
  rejectMisspeltMembers(fields)
  const config = parseChainConfig(fields.config)
  checkConfig(config)
  const accounts = Object.entries(parseObject(fields.alloc ?? {}, 'alloc')).map(([key, value]) =>
    parseAccount(key, value),
  )
  return createGenesis(config, accounts, parseHeader(fields, config))
}

const parseText = (text: string): unknown => {
  let json: ExactJson
  try {
    json = parseExactJson(text)
  } catch (error) {
    throw new GenesisError(`the genesis is not JSON: ${(error as Error).message}`)
  }
  if (json.repeated !== undefined) throw new GenesisError(`${json.repeated} is given twice`)
  return json.value
}

/** Checks what a file may not say, and stored configurations of older versions may. */
const checkConfig = ({ chainId, activations, source }: ChainConfig): void => {
  if (chainId === 0n || chainId > maxUint64)
    throw new GenesisError(`config.chainId is ${chainId}: wanted 1 to ${maxUint64}`)
  requireOsakaBeforeBlobForks(activations)
  for (const [name, { target, max }] of namedBlobParameters(source))
    if (max < target)
      throw new GenesisError(`config.blobSchedule.${name} has max ${max}, which is below target ${target}`)
}

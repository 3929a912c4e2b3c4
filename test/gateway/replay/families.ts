/** How the families of chains differ in what they write. */

export const families = [
  'ethermint',
  'cosmos-evm-0.1',
  'cosmos-evm-0.4',
  'cosmos-evm-0.5',
  'cosmos-evm-0.7',
  'perihelion',
] as const

export type ReplayFamily = (typeof families)[number]

export interface Traits {
  readonly family: ReplayFamily
  readonly evmPackage: string
  readonly feemarketPackage: string
  /** What `status` says of the engine. */
  readonly engine: string
  /** The engine's JSON: attributes in base64, events of begin and end apart, no app_hash in results. */
  readonly oldEngine: boolean
  /** The message holds the transaction in parts instead of its signed bytes. */
  readonly inParts: boolean
  readonly severalMessages: boolean
  readonly hasTxLogEvents: boolean
  /** `max_used_gas`, `block_hash` and `block_timestamp` in a response. */
  readonly longResponse: boolean
  /** Logs in a response name no block and no transaction. */
  readonly bareLogs: boolean
  /** Base fees of 18 decimals, and `evm_fee_market` beside `fee_market`. */
  readonly decimalFees: boolean
  /** Events carry `mode` and `msg_index`. */
  readonly marksEvents: boolean
  /** The gas of a block is metered, and a transaction can fall out of it. */
  readonly meteredBlocks: boolean
  /** What waits for a block is held by the application, and no query shows it. */
  readonly ownMempool: boolean
  readonly hasConfig: boolean
  readonly hasGlobalMinGasPrice: boolean
  /** Of cosmos/evm, as the node tells it of its build. */
  readonly release: string | undefined
  readonly hasTraceCall: boolean
  readonly denom: string
  readonly prefix: string
  readonly nativeChainId: string
  readonly chainId: bigint
}

const cosmosEvm = {
  evmPackage: 'cosmos.evm.vm.v1',
  feemarketPackage: 'cosmos.evm.feemarket.v1',
  engine: '0.38.17',
  oldEngine: false,
  inParts: false,
  severalMessages: false,
  hasTxLogEvents: true,
  longResponse: false,
  bareLogs: false,
  decimalFees: true,
  marksEvents: true,
  meteredBlocks: true,
  ownMempool: false,
  hasConfig: true,
  hasGlobalMinGasPrice: true,
  release: 'v0.3.1',
  hasTraceCall: false,
  denom: 'atest',
  prefix: 'cosmos',
  nativeChainId: 'replay-1',
  chainId: 262_144n,
} as const

export const traitsOf: Readonly<Record<ReplayFamily, Traits>> = {
  ethermint: {
    ...cosmosEvm,
    family: 'ethermint',
    evmPackage: 'ethermint.evm.v1',
    feemarketPackage: 'ethermint.feemarket.v1',
    engine: '0.34.27',
    oldEngine: true,
    inParts: true,
    severalMessages: true,
    decimalFees: false,
    marksEvents: false,
    hasConfig: false,
    hasGlobalMinGasPrice: false,
    release: undefined,
    denom: 'aphoton',
    prefix: 'ethm',
    nativeChainId: 'replay_9000-1',
    chainId: 9000n,
  },
  'cosmos-evm-0.1': { ...cosmosEvm, family: 'cosmos-evm-0.1', inParts: true, severalMessages: true },
  'cosmos-evm-0.4': { ...cosmosEvm, family: 'cosmos-evm-0.4', engine: '0.38.18', release: 'v0.4.1' },
  'cosmos-evm-0.5': {
    ...cosmosEvm,
    family: 'cosmos-evm-0.5',
    engine: '0.38.19',
    release: 'v0.6.0',
    hasTxLogEvents: false,
    longResponse: true,
    hasTraceCall: true,
  },
  'cosmos-evm-0.7': {
    ...cosmosEvm,
    family: 'cosmos-evm-0.7',
    engine: '0.39.3',
    release: 'v0.7.0',
    hasTxLogEvents: false,
    longResponse: true,
    bareLogs: true,
    meteredBlocks: false,
    ownMempool: true,
    hasTraceCall: true,
  },
  perihelion: {
    ...cosmosEvm,
    family: 'perihelion',
    engine: '0.38.26',
    release: undefined,
    hasTxLogEvents: false,
    longResponse: true,
    meteredBlocks: false,
    hasTraceCall: true,
    denom: 'aperihelion',
    prefix: 'perihelion',
    nativeChainId: 'perihelion-31337',
    chainId: 31_337n,
  },
}

import { blob, join, nested, text, uint } from '../wire.ts'

/** The recorded queries are JSON; here they become the protobuf that was on the wire. */

type Kind = 'text' | 'bytes' | 'uint' | 'bool' | { readonly [name: string]: readonly [number, Kind] }
type Shape = Readonly<Record<string, readonly [number, Kind]>>

const params: Shape = {
  evmDenom: [1, 'text'],
  historyServeWindow: [10, 'uint'],
  extendedDenomOptions: [11, { extendedDenom: [1, 'text'] }],
}

const config: Shape = {
  homesteadBlock: [1, 'text'],
  daoForkBlock: [2, 'text'],
  daoForkSupport: [3, 'bool'],
  eip150Block: [4, 'text'],
  eip155Block: [6, 'text'],
  eip158Block: [7, 'text'],
  byzantiumBlock: [8, 'text'],
  constantinopleBlock: [9, 'text'],
  petersburgBlock: [10, 'text'],
  istanbulBlock: [11, 'text'],
  muirGlacierBlock: [12, 'text'],
  berlinBlock: [13, 'text'],
  londonBlock: [17, 'text'],
  arrowGlacierBlock: [18, 'text'],
  grayGlacierBlock: [20, 'text'],
  mergeNetsplitBlock: [21, 'text'],
  chainId: [24, 'uint'],
  denom: [25, 'text'],
  decimals: [26, 'uint'],
  shanghaiTime: [27, 'text'],
  cancunTime: [28, 'text'],
  pragueTime: [29, 'text'],
}

const feemarketParams: Shape = {
  noBaseFee: [1, 'bool'],
  baseFeeChangeDenominator: [2, 'uint'],
  elasticityMultiplier: [3, 'uint'],
  enableHeight: [5, 'uint'],
  baseFee: [6, 'text'],
  minGasPrice: [7, 'text'],
  minGasMultiplier: [8, 'text'],
}

const callRequest: Shape = {
  args: [1, 'bytes'],
  gas_cap: [2, 'uint'],
  proposer_address: [3, 'bytes'],
  chain_id: [4, 'uint'],
}

const evm = 'cosmos.evm.vm.v1.Query'
const feemarket = 'cosmos.evm.feemarket.v1.Query'

const shapes: Readonly<Record<string, Shape>> = {
  [`${evm}/Params`]: { params: [1, params] },
  [`${evm}/Config`]: { config: [1, config] },
  [`${evm}/GlobalMinGasPrice`]: { minGasPrice: [1, 'text'] },
  [`${evm}/BaseFee`]: { baseFee: [1, 'text'] },
  [`${evm}/Account`]: { balance: [1, 'text'], codeHash: [2, 'text'], nonce: [3, 'uint'] },
  [`${evm}/CosmosAccount`]: { cosmosAddress: [1, 'text'], sequence: [2, 'uint'], accountNumber: [3, 'uint'] },
  [`${evm}/ValidatorAccount`]: {
    accountAddress: [1, 'text'],
    sequence: [2, 'uint'],
    accountNumber: [3, 'uint'],
  },
  [`${evm}/Balance`]: { balance: [1, 'text'] },
  [`${evm}/Code`]: { code: [1, 'bytes'] },
  [`${evm}/Storage`]: { value: [1, 'text'] },
  [`${evm}/EthCall`]: {
    hash: [1, 'text'],
    ret: [3, 'bytes'],
    vmError: [4, 'text'],
    gasUsed: [5, 'uint'],
    maxUsedGas: [6, 'uint'],
    blockHash: [7, 'bytes'],
    blockTimestamp: [8, 'uint'],
  },
  [`${evm}/EstimateGas`]: { gas: [1, 'uint'], ret: [2, 'bytes'], vmError: [3, 'text'] },
  [`${feemarket}/Params`]: { params: [1, feemarketParams] },
  [`${feemarket}/BlockGas`]: { gas: [1, 'uint'] },
  'cosmos.auth.v1beta1.Query/Bech32Prefix': { bech32Prefix: [1, 'text'] },
  'cosmos.base.node.v1beta1.Service/Status': {
    earliestStoreHeight: [1, 'uint'],
    height: [2, 'uint'],
    appHash: [4, 'bytes'],
    validatorHash: [5, 'bytes'],
  },
  [`${evm}/EthCall request`]: callRequest,
  [`${evm}/EstimateGas request`]: callRequest,
  [`${evm}/Storage request`]: { address: [1, 'text'], key: [2, 'text'] },
  [`${evm}/ValidatorAccount request`]: { cons_address: [1, 'text'] },
}

const byAddress: Shape = { address: [1, 'text'] }

type Json = Readonly<Record<string, unknown>>

const encode = (shape: Shape, value: Json): Uint8Array =>
  join(...Object.entries(shape).map(([name, [field, kind]]) => encodeField(field, kind, value[name])))

const encodeField = (field: number, kind: Kind, value: unknown): Uint8Array => {
  if (value === undefined || value === null) return new Uint8Array(0)
  if (typeof kind === 'object') return nested(field, encode(kind, value as Json))
  if (kind === 'text') return text(field, String(value))
  if (kind === 'bytes') return blob(field, Buffer.from(String(value), 'base64'))
  return uint(field, BigInt(value as string | number | boolean))
}

export const encodeJson = (name: string, value: Json): Uint8Array => encode(shapes[name] ?? byAddress, value)

export const responseOf = (method: string, response: Json): Uint8Array => {
  const shape = shapes[method]
  if (shape === undefined) throw new Error(`the response of ${method} has no known shape`)
  return encode(shape, response)
}

import { bech32 } from '@scure/base'
import { toBigInt } from '../../../../src/base/encoding/bytes.ts'
import { fromHex, toHex } from '../../../../src/base/encoding/hex.ts'
import { encodeHeader } from '../block/ethereumHeader.ts'
import { decodeMessage } from '../block/native.ts'
import { compact, keccak } from '../block/signing.ts'
import { QueryError, unknownPath } from '../chain.ts'
import { noAccount, type TrieAccount } from '../stores/worldTries.ts'
import type { SyntheticChain } from '../synthetic.ts'
import { blob, Fields, join, nested, text, uint } from '../wire.ts'
import { traceCall, traceTransaction } from './tracing.ts'

/** Answers of the modules' queries from the model's state. */

type Answer = (chain: SyntheticChain, request: Fields, height: number) => Uint8Array

const addressIn = (request: Fields, field = 1): Uint8Array => {
  const address = request.text(field)
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) throw new QueryError(18, `invalid address ${address}`)
  return fromHex(address)
}

const toBech32 = (prefix: string, bytes: Uint8Array): string => bech32.encode(prefix, bech32.toWords(bytes))

const forkFields = (fields: readonly number[], value: string): Uint8Array =>
  join(...fields.map((field) => text(field, value)))

/** Every fork there is at genesis: of Ethermint up to London, of the others up to Prague. */
const chainConfig = (chain: SyntheticChain): Uint8Array => {
  const blocks = [1, 2, 4, 6, 7, 8, 9, 10, 11, 12, 13, 17, 18, 20, 21]
  const old = join(forkFields(blocks, '0'), uint(3, 1))
  const { hasConfig, chainId, denom } = chain.traits
  if (!hasConfig) return old
  return join(old, uint(24, chainId), text(25, denom), uint(26, 18), forkFields([27, 28, 29], '0'))
}

interface CallArguments {
  readonly from?: string
  readonly to?: string | null
  readonly data?: string
  readonly input?: string
  readonly value?: string
}

export const parseCall = (bytes: Uint8Array) => {
  const args = JSON.parse(Buffer.from(bytes).toString()) as CallArguments
  return {
    from: fromHex(args.from ?? `0x${'00'.repeat(20)}`),
    to: args.to ? fromHex(args.to) : undefined,
    data: fromHex(args.input ?? args.data ?? '0x'),
    value: BigInt(args.value ?? 0),
  }
}

const zeroHash = `0x${'0'.repeat(64)}`

const ethCall: Answer = (chain, request, height) => {
  const { to, data } = parseCall(request.bytes(1))
  const { error, output, usedGas } = chain.world.call(to, data, height)
  const cap = request.uint(2)
  const charged = usedGas > cap / 2n ? usedGas : cap / 2n
  return join(
    text(1, zeroHash),
    blob(3, output),
    text(4, error),
    uint(5, charged),
    ...(chain.traits.longResponse ? [uint(6, usedGas)] : []),
  )
}

const estimateGas: Answer = (chain, request, height) => {
  const { to, data } = parseCall(request.bytes(1))
  const { error, output, usedGas } = chain.world.call(to, data, height)
  if (error === '') return uint(1, usedGas)
  if (!chain.traits.hasConfig) throw new QueryError(13, `rpc error: code = Internal desc = ${error}`)
  return join(blob(2, output), text(3, error))
}

const feeAt = (chain: SyntheticChain, height: number): bigint => chain.built(height)?.fee ?? 0n

const feemarketParams: Answer = (chain, _request, height) => {
  const fee = feeAt(chain, height)
  const scaled = chain.traits.decimalFees ? fee : fee / 10n ** 18n
  const params = join(
    uint(2, 8),
    uint(3, 2),
    text(6, scaled.toString()),
    text(7, '0'),
    text(8, (5n * 10n ** 17n).toString()),
  )
  return nested(1, params)
}

const validatorAccount: Answer = (chain, request) => {
  const { prefix } = chain.traits
  for (let at = 0; at < chain.validatorCount; at++)
    if (toBech32(`${prefix}valcons`, chain.proposer(at)) === request.text(1))
      return text(1, toBech32(prefix, chain.operator(at)))
  throw new QueryError(22, `validator not found for ${request.text(1)}`)
}

const evmQueries: Readonly<Record<string, Answer>> = {
  Account: (chain, request, height) => {
    const address = addressIn(request)
    const { nonce, balance } = chain.world.account(address, height)
    const codeHash = toHex(keccak(chain.world.code(address, height)))
    return join(text(1, balance.toString()), text(2, codeHash), uint(3, nonce))
  },
  CosmosAccount: (chain, request, height) => {
    const address = addressIn(request)
    const { nonce } = chain.world.account(address, height)
    return join(text(1, toBech32(chain.traits.prefix, address)), uint(2, nonce), uint(3, 1))
  },
  ValidatorAccount: validatorAccount,
  Balance: (chain, request, height) =>
    text(1, chain.world.account(addressIn(request), height).balance.toString()),
  Storage: (chain, request, height) => {
    const key = Buffer.from(request.text(2).replace(/^0x/, '').padStart(64, '0'), 'hex')
    return text(1, toHex(chain.world.slot(addressIn(request), key, height)))
  },
  Code: (chain, request, height) => blob(1, chain.world.code(addressIn(request), height)),
  Params: (chain) => {
    const config = chain.traits.hasConfig ? [] : [nested(5, chainConfig(chain))]
    return nested(1, join(text(1, chain.traits.denom), ...config))
  },
  EthCall: ethCall,
  EstimateGas: estimateGas,
  BaseFee: (chain, _request, height) => text(1, (feeAt(chain, height) / 10n ** 18n).toString()),
  TraceTx: (chain, request, height) => {
    const tx = decodeMessage(request.bytes(1))
    return blob(
      1,
      Buffer.from(JSON.stringify(traceTransaction(chain, tx, new Fields(request.bytes(3)), height))),
    )
  },
  TraceBlock: (chain, request, height) => {
    const config = new Fields(request.bytes(3))
    const traces = request.all(1).map((bytes) => ({
      result: traceTransaction(chain, decodeMessage(bytes), config, height),
    }))
    return blob(1, Buffer.from(JSON.stringify(traces)))
  },
}

const configQueries: Readonly<Record<string, Answer>> = {
  Config: (chain) => nested(1, chainConfig(chain)),
}

const minGasPrices: Readonly<Record<string, Answer>> = { GlobalMinGasPrice: () => text(1, '0') }

const callTraces: Readonly<Record<string, Answer>> = {
  TraceCall: (chain, request, height) => {
    const call = parseCall(request.bytes(1))
    return blob(1, Buffer.from(JSON.stringify(traceCall(chain, call, new Fields(request.bytes(4)), height))))
  },
}

const feemarketQueries: Readonly<Record<string, Answer>> = {
  Params: feemarketParams,
  BaseFee: (chain, _request, height) => {
    const fee = feeAt(chain, height)
    return text(1, (chain.traits.decimalFees ? fee : fee / 10n ** 18n).toString())
  },
  BlockGas: (chain, _request, height) => uint(1, chain.built(height)?.marketGas ?? 0n),
}

const gethBlocks = [
  'homestead',
  'eip150',
  'eip155',
  'eip158',
  'byzantium',
  'constantinople',
  'petersburg',
  'istanbul',
  'berlin',
  'london',
]

/** The block that a question of our own chain names; the engine has no height for the first one. */
const placeOf = (request: Fields, height: number): number => {
  const place = new Fields(request.bytes(1))
  return place.has(1) ? Number(place.uint(1)) : height
}

const encodeAccount = ({ nonce, balance, codeHash, storageRoot }: TrieAccount): Uint8Array =>
  join(uint(1, nonce), blob(2, compact(balance)), blob(3, codeHash), blob(4, storageRoot))

/** Of our own chain: an Answer with the response in it. */
const ownQueries: Readonly<Record<string, Answer>> = {
  Genesis: (chain) => {
    const forks = [...gethBlocks.map((fork) => `${fork}Block`), 'shanghaiTime', 'cancunTime', 'pragueTime']
    const config = {
      chainId: Number(chain.traits.chainId),
      ...Object.fromEntries(forks.map((fork) => [fork, 0])),
      terminalTotalDifficulty: 0,
    }
    return join(blob(1, encodeHeader(chain.genesis)), blob(2, Buffer.from(JSON.stringify(config))))
  },
  Status: (chain, _request, height) =>
    join(
      uint(1, height),
      blob(2, chain.built(height)?.appHash ?? new Uint8Array(0)),
      uint(3, chain.earliestState),
      uint(4, chain.earliest),
    ),
  Account: (chain, request, height) => {
    const account = chain.triesAt(placeOf(request, height)).account(request.bytes(2))
    return account === undefined ? new Uint8Array(0) : nested(1, encodeAccount(account))
  },
  Code: (chain, request, height) => blob(1, chain.world.code(request.bytes(2), placeOf(request, height))),
  Storage: (chain, request, height) =>
    blob(1, chain.world.slot(request.bytes(2), request.bytes(3), placeOf(request, height))),
  Proof: (chain, request, height) => {
    const address = request.bytes(2)
    const at = placeOf(request, height)
    const tries = chain.triesAt(at)
    const slots = request.all(3).map((slot) => {
      const value = compact(toBigInt(chain.world.slot(address, slot, at)))
      return nested(
        3,
        join(
          blob(1, value),
          ...tries
            .storage(address)
            .prove(slot)
            .map((node) => blob(2, node)),
        ),
      )
    })
    const nodes = tries.state.prove(address).map((node) => blob(2, node))
    return join(nested(1, encodeAccount(tries.account(address) ?? noAccount)), ...nodes, ...slots)
  },
}

const generalQueries: Readonly<Record<string, Answer>> = {
  '/cosmos.auth.v1beta1.Query/Bech32Prefix': (chain) => text(1, chain.traits.prefix),
  '/cosmos.base.node.v1beta1.Service/Status': (chain) => {
    // The SDK has it from 0.50 on.
    if (chain.traits.oldEngine) throw unknownPath
    return join(uint(1, chain.earliestState), uint(2, chain.head))
  },
  '/cosmos.base.node.v1beta1.Service/Config': () => text(1, '0'),
  '/cosmos.base.tendermint.v1beta1.Service/GetNodeInfo': ({ traits: { release } }) => {
    if (release === undefined) throw unknownPath
    return nested(2, nested(7, join(text(1, 'github.com/cosmos/evm'), text(2, release), text(3, 'h1:0'))))
  },
}

export const answerQuery = (
  chain: SyntheticChain,
  path: string,
  request: Uint8Array,
  height: number,
): Uint8Array => {
  const { evmPackage, feemarketPackage, hasConfig, hasGlobalMinGasPrice, hasTraceCall, family } = chain.traits
  const fields = new Fields(request)
  const within = (service: string): string | undefined =>
    path.startsWith(`/${service}.Query/`) ? path.slice(service.length + 8) : undefined
  const evm = {
    ...evmQueries,
    ...(hasConfig ? configQueries : {}),
    ...(hasGlobalMinGasPrice ? minGasPrices : {}),
    ...(hasTraceCall ? callTraces : {}),
  }
  const own = family === 'perihelion' ? ownQueries[within('perihelion.v1') ?? ''] : undefined
  if (own) return nested(1, own(chain, fields, height))
  const answer =
    evm[within(evmPackage) ?? ''] ?? feemarketQueries[within(feemarketPackage) ?? ''] ?? generalQueries[path]
  if (answer === undefined) throw unknownPath
  return answer(chain, fields, height)
}

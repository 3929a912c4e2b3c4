import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import { parseExactJson } from '../../chain/config/exactJson.ts'
import { evmDenom } from '../../cosmos/denom.ts'
import { AnswerSchema } from '../../cosmos/gen/perihelion/v1/query_pb.ts'
import { decodeLargeMessage } from '../../cosmos/protobuf.ts'
import { type PerihelionQuery, perihelionQueries } from '../../cosmos/queries/perihelionQueries.ts'
import { cosmosEvmPackage } from '../../cosmos/transaction/dialect.ts'
import type { ChainOverrides, ChainProbe } from '../detect/chainProbe.ts'
import { type DetectionContext, DetectionError, queryOptional } from '../detect/detectionQueries.ts'
import { parseForks, withChainId, withToldChainId } from '../detect/forks.ts'
import type { ChainParameters } from '../family.ts'

/** Returns whether a chain answers a query that only Perihelion chains have. */
export const isPerihelionChain = async ({ context }: ChainProbe): Promise<boolean> => {
  const { path, request } = perihelionQueries.genesis
  return (await queryOptional(context, path, request, AnswerSchema)) !== undefined
}

/**
 * Returns the response of a Perihelion node to a query with an empty request. Throws a DetectionError if there is none.
 */
export const queryPerihelion = async <Request extends DescMessage, Response extends DescMessage>(
  context: DetectionContext,
  { path, request, response }: PerihelionQuery<Request, Response>,
): Promise<MessageShape<Response>> => {
  const outcome = (await queryOptional(context, path, request, AnswerSchema))?.outcome
  const message = outcome?.case === 'value' ? decodeLargeMessage(response, outcome.value) : undefined
  if (message === undefined) throw new DetectionError(`the node gave no ${response.typeName} to ${path}`)
  return message
}

const parseGenesisConfig = (bytes: Uint8Array): unknown => {
  try {
    return parseExactJson(Buffer.from(bytes).toString('utf8')).value
  } catch {
    throw new DetectionError("the node's genesis is not JSON")
  }
}

/** Returns the forks in the genesis of the chain. */
const readForks = async (context: DetectionContext): Promise<unknown> =>
  parseGenesisConfig((await queryPerihelion(context, perihelionQueries.genesis)).config)

/** Returns the earliest state, which may be that of the genesis, for which CometBFT has no height. */
const readEarliestState = async (context: DetectionContext): Promise<number> =>
  Number((await queryPerihelion(context, perihelionQueries.status)).oldestState)

const readConfig = async (context: DetectionContext, overrides: ChainOverrides): Promise<ChainConfig> => {
  const { forks, evmChainId } = overrides
  if (forks !== undefined) return withChainId(parseForks(forks), evmChainId)
  const told = parseForks(await readForks(context))
  return withToldChainId(withChainId(told, evmChainId), told.chainId, overrides)
}

/**
 * Queries the parameters of a Perihelion chain. Its coin and its module have the names that the application defines.
 */
export const readPerihelionParameters = async ({
  context,
  overrides,
}: ChainProbe): Promise<ChainParameters> => ({
  config: await readConfig(context, overrides),
  feeDenom: overrides.feeDenom ?? evmDenom,
  decimals: overrides.decimals ?? 18,
  evmPackage: overrides.evmPackage ?? cosmosEvmPackage,
  earliestState: overrides.earliestState ?? (await readEarliestState(context)),
  hasAppMempool: overrides.hasAppMempool ?? false,
})

import type { DescMessage } from '@bufbuild/protobuf'
import * as messages from '../gen/perihelion/v1/query_pb.ts'

/** One query of the `perihelion.v1` service: its path, its request, and the response that an `Answer` holds. */
export interface PerihelionQuery<Request extends DescMessage, Response extends DescMessage> {
  readonly path: string
  readonly request: Request
  readonly response: Response
}

const servicePath = '/perihelion.v1.Query'

const defineQuery = <Request extends DescMessage, Response extends DescMessage>(
  name: string,
  request: Request,
  response: Response,
): PerihelionQuery<Request, Response> => ({ path: `${servicePath}/${name}`, request, response })

/** The queries that a node answers to a gateway, defined once for both sides. */
export const perihelionQueries = {
  genesis: defineQuery('Genesis', messages.GenesisRequestSchema, messages.GenesisResponseSchema),
  status: defineQuery('Status', messages.StatusRequestSchema, messages.StatusResponseSchema),
  account: defineQuery('Account', messages.AccountRequestSchema, messages.AccountResponseSchema),
  code: defineQuery('Code', messages.CodeRequestSchema, messages.CodeResponseSchema),
  storage: defineQuery('Storage', messages.StorageRequestSchema, messages.StorageResponseSchema),
  proof: defineQuery('Proof', messages.ProofRequestSchema, messages.ProofResponseSchema),
  accounts: defineQuery('Accounts', messages.AccountsRequestSchema, messages.AccountsResponseSchema),
  slots: defineQuery('Slots', messages.SlotsRequestSchema, messages.SlotsResponseSchema),
  call: defineQuery('Call', messages.ExecuteRequestSchema, messages.ExecuteResponseSchema),
  estimateGas: defineQuery('EstimateGas', messages.ExecuteRequestSchema, messages.ExecuteResponseSchema),
  createAccessList: defineQuery(
    'CreateAccessList',
    messages.ExecuteRequestSchema,
    messages.ExecuteResponseSchema,
  ),
  callMany: defineQuery('CallMany', messages.ExecuteRequestSchema, messages.ExecuteResponseSchema),
  simulate: defineQuery('Simulate', messages.ExecuteRequestSchema, messages.SimulateResponseSchema),
  callWitness: defineQuery('CallWitness', messages.ExecuteRequestSchema, messages.ExecuteResponseSchema),
  traceTransaction: defineQuery(
    'TraceTransaction',
    messages.TraceTransactionRequestSchema,
    messages.TraceResponseSchema,
  ),
  traceBlock: defineQuery('TraceBlock', messages.TraceBlockRequestSchema, messages.TraceResponseSchema),
  traceEncodedBlock: defineQuery(
    'TraceEncodedBlock',
    messages.TraceEncodedBlockRequestSchema,
    messages.TraceResponseSchema,
  ),
  traceCall: defineQuery('TraceCall', messages.TraceCallRequestSchema, messages.TraceResponseSchema),
  intermediateRoots: defineQuery(
    'IntermediateRoots',
    messages.IntermediateRootsRequestSchema,
    messages.IntermediateRootsResponseSchema,
  ),
  executionWitness: defineQuery(
    'ExecutionWitness',
    messages.IntermediateRootsRequestSchema,
    messages.TraceResponseSchema,
  ),
  validators: defineQuery('Validators', messages.ValidatorsRequestSchema, messages.ValidatorsResponseSchema),
  validatorSet: defineQuery(
    'ValidatorSet',
    messages.ValidatorSetRequestSchema,
    messages.ValidatorSetResponseSchema,
  ),
  proposal: defineQuery('Proposal', messages.ProposalRequestSchema, messages.ProposalResponseSchema),
} as const

/** The largest number of items that one query returns. */
export const perihelionQueryLimits = { slotProofs: 1024, accounts: 256, slots: 1024 } as const

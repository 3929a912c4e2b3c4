import type { DescMessage } from '@bufbuild/protobuf'
import * as messages from '../gen/perihelion/v1/query_pb.ts'

/** One query of this chain's own: what is asked, and what is in the `Answer`. */
export interface OwnQuery<Asked extends DescMessage, Answered extends DescMessage> {
  readonly path: string
  readonly asked: Asked
  readonly answered: Answered
}

const ownPath = '/perihelion.v1.Query'

const own = <Asked extends DescMessage, Answered extends DescMessage>(
  name: string,
  asked: Asked,
  answered: Answered,
): OwnQuery<Asked, Answered> => ({ path: `${ownPath}/${name}`, asked, answered })

/** What a node answers to a gateway, named once for both ends. */
export const ownQueries = {
  genesis: own('Genesis', messages.GenesisRequestSchema, messages.GenesisResponseSchema),
  status: own('Status', messages.StatusRequestSchema, messages.StatusResponseSchema),
  account: own('Account', messages.AccountRequestSchema, messages.AccountResponseSchema),
  code: own('Code', messages.CodeRequestSchema, messages.CodeResponseSchema),
  storage: own('Storage', messages.StorageRequestSchema, messages.StorageResponseSchema),
  proof: own('Proof', messages.ProofRequestSchema, messages.ProofResponseSchema),
  accounts: own('Accounts', messages.AccountsRequestSchema, messages.AccountsResponseSchema),
  slots: own('Slots', messages.SlotsRequestSchema, messages.SlotsResponseSchema),
  call: own('Call', messages.ExecuteRequestSchema, messages.ExecuteResponseSchema),
  estimateGas: own('EstimateGas', messages.ExecuteRequestSchema, messages.ExecuteResponseSchema),
  createAccessList: own('CreateAccessList', messages.ExecuteRequestSchema, messages.ExecuteResponseSchema),
  callMany: own('CallMany', messages.ExecuteRequestSchema, messages.ExecuteResponseSchema),
  simulate: own('Simulate', messages.ExecuteRequestSchema, messages.SimulateResponseSchema),
  traceTransaction: own(
    'TraceTransaction',
    messages.TraceTransactionRequestSchema,
    messages.TraceResponseSchema,
  ),
  traceBlock: own('TraceBlock', messages.TraceBlockRequestSchema, messages.TraceResponseSchema),
  traceEncodedBlock: own(
    'TraceEncodedBlock',
    messages.TraceEncodedBlockRequestSchema,
    messages.TraceResponseSchema,
  ),
  traceCall: own('TraceCall', messages.TraceCallRequestSchema, messages.TraceResponseSchema),
  intermediateRoots: own(
    'IntermediateRoots',
    messages.IntermediateRootsRequestSchema,
    messages.IntermediateRootsResponseSchema,
  ),
  validators: own('Validators', messages.ValidatorsRequestSchema, messages.ValidatorsResponseSchema),
  validatorSet: own('ValidatorSet', messages.ValidatorSetRequestSchema, messages.ValidatorSetResponseSchema),
  proposal: own('Proposal', messages.ProposalRequestSchema, messages.ProposalResponseSchema),
} as const

/** The most of each that one query gives. */
export const ownLimits = { slotProofs: 1024, accounts: 256, slots: 1024 } as const

import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { maxBlockEntries } from '../../../app/proposal/rules.ts'
import { equalBytes } from '../../../base/encoding/bytes.ts'
import { WireCursor } from '../../../base/encoding/protobuf/protoReader.ts'
import { ProtoWriter } from '../../../base/encoding/protobuf/protoWriter.ts'
import { findWireProblem, type WireLimits } from '../../../cosmos/wire.ts'
import { type Request, RequestSchema, ResponseSchema } from './gen/perihelion/abci/v1/abci_pb.ts'

type RequestValue = Extract<Request['value'], { case: string }>
type ResponseValue = Extract<NonNullable<MessageInitShape<typeof ResponseSchema>['value']>, { case: string }>

/** The name of an ABCI call; request and response have the same name. */
export type AbciCall = RequestValue['case']

export type AbciRequest<Call extends AbciCall> = Extract<RequestValue, { case: Call }>['value']
export type AbciResponse<Call extends AbciCall> = Call extends 'checkTx'
  ? CheckTxResponse
  : Extract<ResponseValue, { case: Call }>['value']

/** A response, or its bytes if it was already encoded. */
export type AbciResult<Call extends AbciCall> = AbciResponse<Call> | Uint8Array

/** The calls that an application implements. The server itself answers echo and flush. */
export type AbciHandler = {
  readonly [Call in Exclude<AbciCall, 'echo' | 'flush'>]: (
    request: AbciRequest<Call>,
  ) => AbciResult<Call> | Promise<AbciResult<Call>>
}

/** The responses to ProcessProposal and VerifyVoteExtension. */
export const proposalStatus = { accepted: 1, rejected: 2 } as const

/** The tag of `process_proposal` in a request. */
const proposalTag = Uint8Array.of(0x8a, 0x01)
/** What a proposal has beside its entries: few fields, and one for each piece of evidence (CometBFT: 1 MiB in all). */
const maxOtherFields = 20_000

const proposalLimits: WireLimits = {
  maxFields: maxBlockEntries + maxOtherFields,
  maxDepth: 8,
  unknownFields: 'ignored',
}

/**
 * Returns whether the request is a proposal with more entries than a block may have. It is found before the request is
 * decoded, because a proposer can put millions of empty entries into a block, each of which becomes an object.
 */
export const isOverfullProposal = (bytes: Uint8Array): boolean =>
  equalBytes(bytes.subarray(0, proposalTag.length), proposalTag) &&
  findWireProblem(RequestSchema, bytes, proposalLimits) !== undefined

/** Decodes a request; returns undefined for a call that this version of the protocol does not have. */
export const decodeRequest = (bytes: Uint8Array): RequestValue | undefined => {
  const check = decodeCheckTx(bytes)
  if (check !== undefined) return { case: 'checkTx', value: check }
  const { value } = fromBinary(RequestSchema, bytes, { readUnknownFields: false })
  return value.case === undefined ? undefined : value
}

/**
 * Decodes the check of a transaction, the most frequent call by far; undefined for every other call, and
 * for one whose fields are in another order than CometBFT writes them.
 */
const decodeCheckTx = (bytes: Uint8Array): AbciRequest<'checkTx'> | undefined => {
  if (bytes[0] !== checkTxTag) return undefined
  const cursor = new WireCursor(bytes)
  cursor.at = 1
  if (cursor.varint(bytes.length) !== bytes.length - cursor.at) return undefined
  if (bytes[cursor.at++] !== 0x0a) return undefined
  const length = cursor.varint(bytes.length)
  if (!(length <= bytes.length - cursor.at)) return undefined
  const tx = bytes.subarray(cursor.at, cursor.at + length)
  cursor.at += length
  const isAgain = bytes[cursor.at] === 0x10 && bytes[cursor.at + 1] === 1
  if (cursor.at + (isAgain ? 2 : 0) !== bytes.length) return undefined
  return { $typeName: 'perihelion.abci.v1.CheckTxRequest', tx, kind: isAgain ? 1 : 0 }
}

/** The numbers of the fields of the response to a check. */
const checkFields = { code: 1, log: 3, gasWanted: 5, codespace: 8 } as const
const checkTxField = 9
const writer = new ProtoWriter()

/** What `encodeCheckTxResponse` writes: an application has nothing else to say of a check. */
export interface CheckTxResponse {
  readonly code?: number
  readonly log?: string
  readonly gasWanted?: bigint
  readonly codespace?: string
}

export const encodeCheckTxResponse = ({
  code = 0,
  log = '',
  gasWanted = 0n,
  codespace = '',
}: CheckTxResponse): Uint8Array =>
  writer.write((to) => {
    to.begin(checkTxField)
    to.integer(checkFields.code, code)
    to.text(checkFields.log, log)
    to.integer(checkFields.gasWanted, gasWanted)
    to.text(checkFields.codespace, codespace)
    to.end()
  })

export const encodeResponse = (value: ResponseValue): Uint8Array =>
  toBinary(ResponseSchema, create(ResponseSchema, { value }))

/** The tags of the requests whose content anybody can choose. */
const queryTag = 0x32
const checkTxTag = 0x42

/** The code of a query or a transaction that could not be read or run (the internal error of the Cosmos SDK). */
const failedCode = 1

/**
 * Encodes the response to a request that failed. CometBFT ends when it gets an exception, so that a query or a transaction
 * is answered with a code instead, even one that cannot be decoded: anybody can send one.
 */
export const encodeFailure = (request: Uint8Array, error: string): Uint8Array => {
  const value = { code: failedCode, log: error, codespace: 'sdk' }
  if (request[0] === queryTag) return encodeResponse({ case: 'query', value })
  if (request[0] === checkTxTag) return encodeResponse({ case: 'checkTx', value })
  return encodeException(error)
}

export const encodeException = (error: string): Uint8Array =>
  encodeResponse({ case: 'exception', value: { error } })

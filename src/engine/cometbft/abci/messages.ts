import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { type Request, RequestSchema, ResponseSchema } from './gen/perihelion/abci/v1/abci_pb.ts'

type RequestValue = Extract<Request['value'], { case: string }>
type ResponseValue = Extract<NonNullable<MessageInitShape<typeof ResponseSchema>['value']>, { case: string }>

/** The calls of the engine by name. Both sides use the same names. */
export type AbciCall = RequestValue['case']

export type AbciRequest<Call extends AbciCall> = Extract<RequestValue, { case: Call }>['value']
export type AbciResponse<Call extends AbciCall> = Extract<ResponseValue, { case: Call }>['value']

/** An answer, or all its bytes where it was encoded elsewhere. */
export type AbciResult<Call extends AbciCall> = AbciResponse<Call> | Uint8Array

/** What an application answers to the engine. Echo and flush are the server's own. */
export type AbciHandler = {
  readonly [Call in Exclude<AbciCall, 'echo' | 'flush'>]: (
    request: AbciRequest<Call>,
  ) => AbciResult<Call> | Promise<AbciResult<Call>>
}

/** Undefined for a call that this version of the protocol does not have. */
export const decodeRequest = (bytes: Uint8Array): RequestValue | undefined => {
  const { value } = fromBinary(RequestSchema, bytes, { readUnknownFields: false })
  return value.case === undefined ? undefined : value
}

export const encodeResponse = (value: ResponseValue): Uint8Array =>
  toBinary(ResponseSchema, create(ResponseSchema, { value }))

export const encodeException = (error: string): Uint8Array =>
  encodeResponse({ case: 'exception', value: { error } })

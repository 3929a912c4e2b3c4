import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { type Request, RequestSchema, ResponseSchema } from './gen/perihelion/abci/v1/abci_pb.ts'

type RequestValue = Extract<Request['value'], { case: string }>
type ResponseValue = Extract<NonNullable<MessageInitShape<typeof ResponseSchema>['value']>, { case: string }>

/** The name of an ABCI call; request and response have the same name. */
export type AbciCall = RequestValue['case']

export type AbciRequest<Call extends AbciCall> = Extract<RequestValue, { case: Call }>['value']
export type AbciResponse<Call extends AbciCall> = Extract<ResponseValue, { case: Call }>['value']

/** A response, or its bytes if it was already encoded. */
export type AbciResult<Call extends AbciCall> = AbciResponse<Call> | Uint8Array

/** The calls that an application implements. The server itself answers echo and flush. */
export type AbciHandler = {
  readonly [Call in Exclude<AbciCall, 'echo' | 'flush'>]: (
    request: AbciRequest<Call>,
  ) => AbciResult<Call> | Promise<AbciResult<Call>>
}

/** Decodes a request; returns undefined for a call that this version of the protocol does not have. */
export const decodeRequest = (bytes: Uint8Array): RequestValue | undefined => {
  const { value } = fromBinary(RequestSchema, bytes, { readUnknownFields: false })
  return value.case === undefined ? undefined : value
}

export const encodeResponse = (value: ResponseValue): Uint8Array =>
  toBinary(ResponseSchema, create(ResponseSchema, { value }))

export const encodeException = (error: string): Uint8Array =>
  encodeResponse({ case: 'exception', value: { error } })

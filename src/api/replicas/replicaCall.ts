import { z } from 'zod'
import type { PeerAnswer, PeerFault } from '../../chain/port/replicas.ts'
import { decodeParams } from '../../rpc/dispatch/params.ts'
import {
  errorCodes,
  invalidParams,
  invalidRequest,
  methodNotFound,
  parseError,
  RpcError,
} from '../../rpc/errors.ts'
import { type CallScope, type Method, param } from '../../rpc/method.ts'
import { RawJson, StreamedResult } from '../../rpc/rawJson.ts'
import { inputType } from '../../rpc/wireType.ts'
import { toRpcError } from '../answers/chainErrors.ts'
import { textAsJson } from '../answers/lookup.ts'
import type { ApiContext } from '../context.ts'
import { publicMethod } from '../method.ts'
import { methods } from '../methods.ts'
import { AnyJson } from '../wire/basic.ts'

const number = z.number().int().min(0)
const call = param(
  'call',
  inputType(
    z.object({
      from: number,
      to: number,
      time: number,
      nonce: z.string().describe('A random text: each call is answered once'),
      call: z.string().describe('The JSON of the method and its parameters'),
      instance: z
        .string()
        .optional()
        .describe('What a replica that has just started asks for in its refusal'),
      mac: z.string().describe('HMAC-SHA256 of the rest with the token of the replicas'),
    }),
  ),
  'A call of another replica.',
)

/** The methods as this replica alone answers them: what came from another one is never passed on. */
const local: ReadonlyMap<string, Method<ApiContext>> = new Map(
  methods.filter(({ shared }) => shared !== undefined).map((found) => [found.name, found]),
)

/** Reads what a replica signed. Its version may be another one, so that anything can be in it. */
const parseCall = (text: string): readonly [string, readonly unknown[]] => {
  const call = parseJson(text)
  const [name, params] = Array.isArray(call) ? (call as readonly unknown[]) : []
  if (typeof name !== 'string') throw invalidRequest('expected a list of a method and its parameters')
  if (!Array.isArray(params)) throw invalidParams('the parameters are no list')
  return [name, params]
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw parseError()
  }
}

const toHeight = (value: unknown): number | undefined => {
  if (value === null) return undefined
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw invalidParams('expected a height or null')
  return value as number // checked above
}

/** Returns a result as the JSON value that a client would get. */
const toValue = async (found: Method<ApiContext>, result: unknown): Promise<unknown> => {
  if (result instanceof RawJson || result instanceof StreamedResult) {
    const parts = result instanceof RawJson ? result.parts : await result.collect()
    return JSON.parse(Buffer.concat(parts).toString())
  }
  return result === null || result === undefined ? null : found.result.type.encode(result)
}

const answer = async (text: string, context: ApiContext, scope: CallScope): Promise<unknown> => {
  const [name, params] = parseCall(text)
  if (name === 'replica_blocks') return context.replicas?.exportBlocks(toHeight(params[0]))
  if (name === 'replica_instance') return context.replicas?.instance
  const found = local.get(name)
  if (found === undefined) throw methodNotFound(name)
  const args = decodeParams(found, params)
  if (args instanceof RpcError) throw args
  return toValue(found, await found.handler(args, context, scope, params))
}

/** Returns an error as a signed answer has it. Others, which are this program's faults, are thrown. */
const toAnswer = (error: unknown): PeerAnswer => {
  const known = error instanceof RpcError ? error : toRpcError(error)
  if (known === undefined) throw error
  const { code, message, data } = known
  return { error: data === undefined ? { code, message } : { code, message, data } }
}

const unauthorized = ({ reason, instance }: PeerFault): RpcError =>
  new RpcError(
    errorCodes.unauthorized,
    `unauthorized: the call of a replica is refused: ${reason}`,
    instance === undefined ? undefined : { instance },
  )

/** Answers what other replicas ask this one. */
export const replicaCall = publicMethod({
  name: 'replica_call',
  summary: 'Answers a call of another replica of this gateway.',
  work: 'state',
  params: [call],
  result: { name: 'result', type: AnyJson },
  examples: [],
  handler: async ([given], context, scope) => {
    const { replicas } = context
    if (replicas === undefined) throw unauthorized({ reason: 'this gateway has no replicas' })
    const fault = replicas.findFault(given)
    if (fault !== undefined) throw unauthorized(fault)
    const content = await answer(given.call, context, scope).then((result) => ({ result }), toAnswer)
    const text = JSON.stringify(replicas.signAnswer(given, content))
    scope.hold(text.length)
    return textAsJson(text)
  },
})

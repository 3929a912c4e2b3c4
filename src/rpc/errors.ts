/**
 * Every error code that goes over the wire. -32000 is the specification's catch-all; the others are JSON-RPC 2.0,
 * EIP-1474, EIP-1193 and EIP-7966.
 */
export const errorCodes = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  failed: -32000,
  unavailable: -32002,
  tooLarge: -32003,
  unsupported: -32004,
  limitExceeded: -32005,
  reverted: 3,
  notYetIncluded: 4,
  unauthorized: 4100,
  disconnected: 4900,
} as const

/** An error that is shown to the client. Any other error becomes -32603, and its cause is only logged. */
export class RpcError extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.name = 'RpcError'
    this.code = code
    this.data = data
  }
}

/** The maximum length of an error message, which may repeat what a client sent. */
const maxMessageLength = 1_000

/** Returns a text with an ellipsis for what is above a length. */
export const shorten = (text: string, maxLength: number): string =>
  text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text

/** Creates an error whose message is of this program. Those of contracts and of remote nodes go on as they are. */
const shortError = (code: number, message: string, data?: unknown): RpcError =>
  new RpcError(code, shorten(message, maxMessageLength), data)

export const parseError = () => new RpcError(errorCodes.parse, 'parse error: the body is not valid JSON')

export const invalidRequest = (why: string) =>
  shortError(errorCodes.invalidRequest, `invalid request: ${why}`)

export const emptyBatch = () => new RpcError(errorCodes.invalidRequest, 'empty batch')

export const batchTooLarge = (limit: number) =>
  new RpcError(errorCodes.invalidRequest, `batch too large: at most ${limit} calls (batch-request-limit)`)

export const methodNotFound = (name: string) =>
  new RpcError(errorCodes.methodNotFound, `the method ${abbreviate(name)} does not exist`)

export const namespaceDisabled = (name: string, namespace: string) =>
  new RpcError(
    errorCodes.methodNotFound,
    `the method ${name} is not available: its namespace "${namespace}" is off (enable it with --json-rpc.api)`,
  )

export const invalidParams = (why: string) => shortError(errorCodes.invalidParams, why)

export const internalError = () => new RpcError(errorCodes.internal, 'internal error')

export const callFailed = (why: string) => shortError(errorCodes.failed, why)

export const requestTimedOut = () => new RpcError(errorCodes.unavailable, 'request timed out')

export const responseTooLarge = (limit: number) =>
  new RpcError(errorCodes.tooLarge, `response too large: at most ${limit} bytes (batch-response-max-size)`)

export const responseTooLong = (limit: number) =>
  new RpcError(
    errorCodes.tooLarge,
    `response too large: at most ${limit} bytes in one message; over HTTP longer ones are sent`,
  )

export const unavailable = (why: string) => shortError(errorCodes.unavailable, why)

/** Creates the error for an exceeded limit. `data` has the content of the message in a form for programs. */
export const limitExceeded = (why: string, data?: unknown) => shortError(errorCodes.limitExceeded, why, data)

export const unsupported = (why: string) => shortError(errorCodes.unsupported, why)

export const unauthorized = (name: string) =>
  new RpcError(
    errorCodes.unauthorized,
    `unauthorized: ${name} is private; call it with "Authorization: Bearer <token>" (perihelion token) or over the IPC socket`,
  )

/** Creates the error for a method that the key of the caller is not for. */
export const keyNotAllowed = (name: string, key: string) =>
  new RpcError(errorCodes.unauthorized, `unauthorized: the API key "${key}" is not for ${name}`)

export const signingNotAllowed = (name: string) =>
  new RpcError(
    errorCodes.unauthorized,
    `unauthorized: ${name} signs for callers on this machine, over the IPC socket or with a token; ` +
      '--json-rpc.allow-insecure-unlock lets remote callers in',
  )

export const devNotAllowed = (name: string) =>
  new RpcError(
    errorCodes.unauthorized,
    `unauthorized: ${name} is for callers on this machine, over the IPC socket or with a token; ` +
      '--json-rpc.allow-insecure-unlock lets remote callers in',
  )

export const closed = () => new RpcError(errorCodes.disconnected, 'the node is closed')

const maxShownLength = 80

/**
 * Returns the JSON of a value that a client sent, shortened for an error message. Only as much of the value is read as is
 * shown, because it may have millions of elements.
 */
export const abbreviate = (value: unknown): string => {
  const text = startOfJson(value, maxShownLength)
  if (text.length <= maxShownLength) return text
  return `${text.slice(0, maxShownLength - 3)}…${typeof value === 'string' ? '"' : ''}`
}

/** Returns the JSON of a value if it is not longer than `length`; otherwise a start of it that is longer. */
const startOfJson = (value: unknown, length: number): string => {
  // Each character of a string is one of its JSON at least.
  if (typeof value === 'string') return JSON.stringify(value.slice(0, length + 1))
  // JSON has such numbers, and JavaScript none that is as large.
  if (typeof value === 'number' && !Number.isFinite(value)) return 'a number of too many digits'
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'nothing'
  if (Array.isArray(value)) {
    let list = '['
    for (let index = 0; index < value.length && list.length <= length; index++)
      list += `${index === 0 ? '' : ','}${startOfJson(value[index], length)}`
    return `${list}]`
  }
  let members = '{'
  for (const key in value) {
    if (members.length > length) break
    const member = startOfJson((value as Record<string, unknown>)[key], length)
    members += `${members.length === 1 ? '' : ','}${startOfJson(key, length)}:${member}`
  }
  return `${members}}`
}

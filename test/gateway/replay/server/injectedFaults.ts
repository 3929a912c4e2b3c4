/** What is wrong with a replay server, changed while it runs. */
export interface Faults {
  /** Accepts no connection and drops those it has. */
  readonly down?: boolean
  /** Milliseconds before each answer. */
  readonly delay?: number
  /** An answer comes in pieces of so many bytes, so many milliseconds apart. */
  readonly drip?: { readonly bytes: number; readonly every: number }
  /** Methods that get no answer at all. */
  readonly hangs?: readonly string[]
  /** Methods whose call is done, and whose connection is closed then instead of an answer (HTTP only). */
  readonly cuts?: readonly string[]
  /** Methods whose call is done, and that a proxy answers with a page of this status (HTTP only). */
  readonly pages?: Readonly<Record<string, number>>
  /** Answers carry ids that nobody asked with. */
  readonly wrongIds?: boolean
  /** The name of the chain in `status`. */
  readonly chainId?: string
  /** Only this part of an answer is sent, and then the connection closed: 0 to 1. */
  readonly truncated?: number
  /** Heights below are said to be gone, of blocks and of state. */
  readonly prunedBelow?: number
  readonly prunedStateBelow?: number
  /** Queries at heights below are answered as by a state in which nothing is, as a pruned Ethermint does. */
  readonly emptyStateBelow?: number
  /** Calls by HTTP are refused with status 429, which asks for so many seconds of rest. */
  readonly limitedFor?: number
  /** Calls by gRPC are refused with RESOURCE_EXHAUSTED. */
  readonly grpcExhausted?: boolean
  /** Calls by gRPC are refused with this status. */
  readonly grpcStatus?: number
  /** Only requests with this value of `x-api-key` are answered. */
  readonly key?: string
  /** Messages of gRPC end in a space, which no client of HTTP/2 is given. */
  readonly grpcSpaces?: boolean
  /** So many heights are taken off what is said of the head. */
  readonly back?: number
  /** Answers grow by so many bytes. */
  readonly oversized?: number
  /** What is sent instead of JSON. */
  readonly text?: string
  /** Members that nobody knows are added to every object. */
  readonly unknownFields?: boolean
  /** The height whose block is told with a hash that is not its own. */
  readonly wrongHashAt?: number
  /** Heights whose results are told for each other. */
  readonly swappedResults?: readonly [number, number]
  /** Changes a result on its way. */
  readonly alter?: (method: string, result: unknown, params: Readonly<Record<string, unknown>>) => unknown
}

const withUnknown = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withUnknown)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, inner]) => [key, withUnknown(inner)] as const)
  return { ...Object.fromEntries(members), unheard_of: { of: ['here', 1, null] } }
}

interface Told {
  block_id?: { hash?: string }
  node_info?: { network?: string }
}

/** A result's text as these faults have it. */
export const distort = (
  faults: Faults,
  method: string,
  result: string,
  params: Readonly<Record<string, unknown>>,
): string => {
  const { alter, unknownFields, chainId, wrongHashAt, oversized } = faults
  let text = result
  const change = (edit: (told: Told) => void): void => {
    const told = JSON.parse(text) as Told
    edit(told)
    text = JSON.stringify(told)
  }
  if (method === 'status' && chainId !== undefined)
    change(({ node_info }) => {
      if (node_info) node_info.network = chainId
    })
  if (method === 'block' && wrongHashAt !== undefined && Number(params.height) === wrongHashAt)
    change(({ block_id }) => {
      if (block_id?.hash)
        block_id.hash = `${block_id.hash.slice(0, -2)}${block_id.hash.endsWith('00') ? '01' : '00'}`
    })
  if (alter !== undefined) text = JSON.stringify(alter(method, JSON.parse(text), params))
  if (unknownFields) text = JSON.stringify(withUnknown(JSON.parse(text)))
  if (oversized !== undefined) text = `{"padding":"${'x'.repeat(oversized)}",${text.slice(1)}`
  return text
}

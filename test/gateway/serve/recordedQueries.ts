import { type DescMessage, fromBinary, fromJson, toBinary, toJson } from '@bufbuild/protobuf'
import { fromHex, toHex } from '../../../src/base/encoding/hex.ts'
import {
  type NativeQueryClient,
  NativeQueryError,
  type ProvenValue,
} from '../../../src/comet/data/nativeQuery.ts'
import { evmMethods } from '../../../src/cosmos/queries/moduleMethods.ts'
import { readNativeFile } from '../../support/nativeRecordings.ts'

interface RecordedQuery {
  readonly method: string
  readonly height: number | null
  readonly request: Record<string, unknown>
  readonly response?: Record<string, unknown>
  readonly error?: string
}

interface RecordedProof {
  readonly key: string
  readonly response: {
    readonly value: string
    readonly height: string
    readonly proofOps: { readonly ops: readonly { type: string; key: string; data: string }[] }
  }
}

interface RecordedProofs {
  readonly storage: RecordedProof
  readonly account: RecordedProof
  readonly app_hash_145: string
  readonly eth_getProof: {
    readonly accountProof: readonly string[]
    readonly storageProof: readonly { readonly proof: readonly string[] }[]
  }
}

export const recordedProofs = (): RecordedProofs => readNativeFile('proofs-144.json') as RecordedProofs

const methods: ReadonlyMap<string, { request: DescMessage; response: DescMessage }> = new Map(
  Object.values(evmMethods).map(({ name, request, response }) => [name, { request, response }]),
)

/** One spelling for what means the same: addresses and keys in lower case and full length, calls by their JSON. */
const normalize = (schema: DescMessage, bytes: Uint8Array): string => {
  const { args, key, address, ...rest } = toJson(schema, fromBinary(schema, bytes)) as Record<string, string>
  return JSON.stringify({
    rest,
    args: args && sorted(JSON.parse(Buffer.from(args, 'base64').toString().toLowerCase())),
    key: key && BigInt(key).toString(16),
    address: address?.toLowerCase(),
  })
}

const sorted = (value: object): object =>
  Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))

export interface AskedQuery {
  readonly path: string
  readonly height: number | undefined
}

/** A chain that answers what was recorded of one, and nothing else. */
export class RecordedQueries implements NativeQueryClient {
  readonly asked: AskedQuery[] = []
  readonly #recorded = readNativeFile('grpc.json') as readonly RecordedQuery[]
  readonly #proofs = recordedProofs()

  async query(path: string, request: Uint8Array, height: number | undefined): Promise<Uint8Array> {
    this.asked.push({ path, height })
    const method = methods.get(path.slice(path.lastIndexOf('/') + 1))
    if (method === undefined) throw new NativeQueryError('unknown path', 'unknown query path')
    const wanted = normalize(method.request, request)
    const found = this.#recorded.find(
      (recorded) =>
        `/${recorded.method}` === path &&
        (recorded.height ?? undefined) === height &&
        normalize(
          method.request,
          toBinary(method.request, fromJson(method.request, recorded.request as never)),
        ) === wanted,
    )
    if (found === undefined) throw new NativeQueryError('refused', `not recorded: ${path} ${wanted}`)
    if (found.response === undefined)
      throw new NativeQueryError('refused', (found.error ?? '').replace(/^[\s\S]*Message: /, ''))
    return toBinary(method.response, fromJson(method.response, found.response as never))
  }

  async prove(store: string, key: Uint8Array, height: number): Promise<ProvenValue> {
    this.asked.push({ path: store, height })
    const found = [this.#proofs.account, this.#proofs.storage].find(
      (proof) => toHex(key) === `0x${proof.key}` && Number(proof.response.height) === height,
    )
    if (found === undefined) throw new NativeQueryError('refused', `not recorded: ${store} ${toHex(key)}`)
    const { value, proofOps } = found.response
    return {
      value: Buffer.from(value, 'base64'),
      height,
      operations: proofOps.ops.map((op) => ({
        type: op.type,
        key: Buffer.from(op.key, 'base64'),
        data: Buffer.from(op.data, 'base64'),
      })),
    }
  }
}

/** Who proposed all recorded blocks. */
export const recordedProposer = fromHex('0x2e1ca93285d58942ba2e22fd893ccac7c924c3a1')

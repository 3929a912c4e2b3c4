import { encodeHex } from '../../base/encoding/hex.ts'
import { parseBase64, parseInt64, parseList, parseObject, parseText } from './fields.ts'
import type { ProvenValue } from './nativeQuery.ts'
import { toNativeQueryError } from './queryErrors.ts'
import { UpstreamError } from './upstreamError.ts'

/** Queries of the application through CometBFT's `abci_query`. */

const maxValueBytes = 256 * 1024 * 1024
const maxLog = 1024 * 1024

export const abciQueryParams = (
  path: string,
  data: Uint8Array,
  height: number | undefined,
  prove: boolean,
): object => ({
  path,
  data: encodeHex(data),
  height: String(height ?? 0),
  prove,
})

/** Parses the reply of `abci_query`. Throws the application's error if the reply has one. */
export const parseAbciQuery = (reply: unknown, height: number | undefined): ProvenValue => {
  const response = parseObject(parseObject(reply, 'abci_query').response, 'response')
  if (typeof response.code !== 'number') throw new UpstreamError('the code of a query is not a number')
  if (response.code !== 0) throw toNativeQueryError(parseText(response.log ?? '', 'log', maxLog))
  const answeredHeight = Number(parseInt64(response.height ?? '0', 'height', 0n))
  // Some modules leave the height of their responses at 0.
  if (height !== undefined && answeredHeight !== 0 && answeredHeight !== height)
    throw new UpstreamError(`requested height ${height}, the response is for ${answeredHeight}`)
  const proof = response.proofOps ?? response.proof_ops
  const operations = proof === null || proof === undefined ? [] : parseObject(proof, 'proofOps').ops
  return {
    value: parseBase64(response.value, 'value', maxValueBytes),
    height: answeredHeight,
    operations: parseList(operations, 'ops', 16).map((value) => {
      const operation = parseObject(value, 'op')
      return {
        type: parseText(operation.type, 'type of op', 100),
        key: parseBase64(operation.key, 'key of op', maxLog),
        data: parseBase64(operation.data, 'data of op', maxValueBytes),
      }
    }),
  }
}

import { decodeHeader, encodeHeader } from '../chain/block/header.ts'
import type { AppHead } from './appHead.ts'

/** A head as it is posted between threads. One byte array is cheaper to clone than the fields of a header. */
export interface HeadMessage {
  readonly headerRlp: Uint8Array
  readonly hash: Uint8Array
}

export const toHeadMessage = ({ header, hash }: AppHead): HeadMessage => ({
  headerRlp: encodeHeader(header),
  hash,
})

export const fromHeadMessage = ({ headerRlp, hash }: HeadMessage): AppHead => ({
  header: decodeHeader(headerRlp),
  hash,
})

import { decodeHeader, encodeHeader } from '../chain/block/header.ts'
import type { AppHead } from './application.ts'

/** A head as it travels between threads: one run of bytes costs less to clone than a header's members. */
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

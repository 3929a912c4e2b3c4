import type { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import { PiecedResponse } from '../../dispatch/batchResponse.ts'
import type { Message } from '../../dispatch/requestHandler.ts'

type CompressionMode = 'auto' | 'always' | 'never'
export type ContentCoding = 'br' | 'gzip'

/** The smallest body that is compressed, in bytes. Below it the headers cost more than the body gains. */
const worthwhileBytes = 1024

const gzipAsync = promisify(gzip)
const brotliAsync = promisify(brotliCompress)

/** Returns the coding for a response; undefined if it is sent uncompressed. */
export const chooseCoding = (
  accepted: string | undefined,
  bytes: number,
  mode: CompressionMode,
  isLocal: boolean,
): ContentCoding | undefined => {
  if (accepted === undefined || bytes <= worthwhileBytes || mode === 'never') return undefined
  // On the same machine copying is cheaper than compressing.
  if (isLocal && mode === 'auto') return undefined
  const codings = readCodings(accepted)
  if (codings.get('br')) return 'br'
  return (codings.get('gzip') ?? codings.get('*')) ? 'gzip' : undefined
}

/** Returns the codings of the header, each with whether it is accepted (not with `q=0`). */
export const readCodings = (header: string): ReadonlyMap<string, boolean> => {
  const codings = new Map<string, boolean>()
  for (const item of header.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = item.split(';').map((part) => part.trim())
    codings.set(coding, !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)))
  }
  return codings
}

/** At quality 4 brotli is as fast as gzip at its default. With a window of 256 KB it needs little more memory. */
const brotliOptions = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 },
}

/** The memory of a compressor: its window and tables. */
const compressorBytes: Readonly<Record<ContentCoding, number>> = { br: 2_000_000, gzip: 400_000 }

/** Returns the memory that it takes to compress a body, beside the body: the compressor, and what comes out of it. */
export const compressionBytes = (coding: ContentCoding, bytes: number): number =>
  compressorBytes[coding] + bytes

/** Compresses a body on zlib's threads. */
export const compress = async (body: Message, coding: ContentCoding): Promise<Buffer | PiecedResponse> => {
  if (!(body instanceof PiecedResponse))
    return coding === 'gzip' ? gzipAsync(body) : brotliAsync(body, brotliOptions)
  const compressed: Buffer[] = []
  await pipeline(body.pieces, createCompressor(coding), async (source: AsyncIterable<Buffer>) => {
    for await (const piece of source) compressed.push(piece)
  })
  return new PiecedResponse(compressed)
}

/** Returns a stream that compresses a body in pieces. */
export const createCompressor = (coding: ContentCoding): Transform =>
  coding === 'gzip' ? createGzip() : createBrotliCompress(brotliOptions)

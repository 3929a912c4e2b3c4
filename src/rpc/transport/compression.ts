import type { Transform } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'

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
const readCodings = (header: string): ReadonlyMap<string, boolean> => {
  const codings = new Map<string, boolean>()
  for (const item of header.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = item.split(';').map((part) => part.trim())
    codings.set(coding, !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)))
  }
  return codings
}

/** At quality 4 brotli is as fast as gzip at its default. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

/** Compresses a body on zlib's threads. */
export const compress = (body: string | Buffer, coding: ContentCoding): Promise<Buffer> =>
  coding === 'gzip' ? gzipAsync(body) : brotliAsync(body, brotliOptions)

/** Returns a stream that compresses a body in pieces. */
export const createCompressor = (coding: ContentCoding): Transform =>
  coding === 'gzip' ? createGzip() : createBrotliCompress(brotliOptions)

import type { Transform } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'

type CompressionMode = 'auto' | 'always' | 'never'
export type ContentCoding = 'br' | 'gzip'

/** Below this the headers cost more than the body gains. */
const worthwhileBytes = 1024

const gzipAsync = promisify(gzip)
const brotliAsync = promisify(brotliCompress)

/** The coding to use for this answer, or undefined to send it as it is. */
export const chooseCoding = (
  accepted: string | undefined,
  bytes: number,
  mode: CompressionMode,
  isLocal: boolean,
): ContentCoding | undefined => {
  if (accepted === undefined || bytes <= worthwhileBytes || mode === 'never') return undefined
  // On one machine copying is cheaper than compressing.
  if (isLocal && mode === 'auto') return undefined
  const codings = readCodings(accepted)
  if (codings.get('br')) return 'br'
  return (codings.get('gzip') ?? codings.get('*')) ? 'gzip' : undefined
}

/** Each coding that the header names, and whether it is wanted: `q=0` means not. */
const readCodings = (header: string): ReadonlyMap<string, boolean> => {
  const codings = new Map<string, boolean>()
  for (const item of header.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = item.split(';').map((part) => part.trim())
    codings.set(coding, !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)))
  }
  return codings
}

/** Quality 4 is where brotli still keeps up with gzip's default. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

/** On zlib's threads. */
export const compress = (body: string | Buffer, coding: ContentCoding): Promise<Buffer> =>
  coding === 'gzip' ? gzipAsync(body) : brotliAsync(body, brotliOptions)

/** The same for a body that comes in pieces. */
export const createCompressor = (coding: ContentCoding): Transform =>
  coding === 'gzip' ? createGzip() : createBrotliCompress(brotliOptions)

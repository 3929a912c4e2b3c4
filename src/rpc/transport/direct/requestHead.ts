import type { IncomingHttpHeaders } from 'node:http'
import type { KnownHead } from '../../access/requestGuard.ts'

/** The head of an ordinary request: a POST over HTTP/1.1 with a length, and with headers that everybody reads alike. */
export interface OrdinaryHead {
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[]
  /** What is remembered of the head while it comes again and again. */
  readonly known: KnownHead
  /** Where the digits of the length begin and end in the text of the head. */
  readonly lengthFrom: number
  readonly lengthTo: number
}

/** The longest head that is read here. */
export const maxHeadLength = 4096

/** Lines of printable ASCII that end as they should, and an empty one. */
const lines = /^(?:[\x20-\x7e]+\r\n)+\r\n$/
const requestLine = /^POST (\/[\w\-./~%?=&]*) HTTP\/1\.1$/
/** A length without sign, leading zeros and doubt. */
const digits = /^[1-9]\d{0,8}$/

/**
 * The headers that an ordinary request may have, beside those that begin with `x-`. Every other one may change what a
 * request means or where it ends.
 */
const ordinaryHeaders: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'authorization',
  'baggage',
  'cache-control',
  'connection',
  'content-length',
  'content-type',
  'cookie',
  'dnt',
  'forwarded',
  'host',
  'origin',
  'pragma',
  'priority',
  'referer',
  'sec-ch-ua',
  'sec-ch-ua-mobile',
  'sec-ch-ua-platform',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'sec-gpc',
  'traceparent',
  'tracestate',
  'user-agent',
  'via',
])

const ownHeader = /^x-[a-z0-9-]+$/

/** Reads the text of a head up to and with its empty line; returns undefined if it is not an ordinary one. */
export const readHead = (text: string): OrdinaryHead | undefined => {
  if (!lines.test(text)) return undefined
  let from = text.indexOf('\r\n')
  const url = requestLine.exec(text.slice(0, from))?.[1]
  if (url === undefined) return undefined
  const headers: IncomingHttpHeaders = {}
  const rawHeaders: string[] = []
  let lengthFrom = -1
  const end = text.length - 4
  while (from < end) {
    from += 2
    const to = text.indexOf('\r\n', from)
    const colon = text.indexOf(':', from)
    if (colon < 0 || colon >= to) return undefined
    const name = text.slice(from, colon)
    const key = name.toLowerCase()
    const valueFrom = text.charCodeAt(colon + 1) === space ? colon + 2 : colon + 1
    const value = text.slice(valueFrom, to)
    if (!isOrdinary(key, value) || headers[key] !== undefined) return undefined
    if (key === 'content-length') lengthFrom = valueFrom
    headers[key] = value
    rawHeaders.push(name, value)
    from = to
  }
  const { host, 'content-length': length } = headers
  if (host === undefined || length === undefined) return undefined
  return { url, headers, rawHeaders, known: {}, lengthFrom, lengthTo: lengthFrom + length.length }
}

const space = 0x20

const isOrdinary = (name: string, value: string): boolean => {
  if (!ordinaryHeaders.has(name) && !ownHeader.test(name)) return false
  // Who trims a value and who does not would disagree.
  if (value === '' || value.startsWith(' ') || value.endsWith(' ')) return false
  if (name === 'content-length') return digits.test(value)
  return name !== 'connection' || value.toLowerCase() === 'keep-alive'
}

/** Whether the text, which has no end of a head yet, may become an ordinary one. */
export const mayBecomeHead = (text: string): boolean =>
  text.length <= maxHeadLength && 'POST /'.startsWith(text.slice(0, 6)) && !neverOrdinary.test(text)

/** A byte that no head has, or half of a line's end. */
const neverOrdinary = /[^\x20-\x7e\r\n]|[^\r]\n|\r[^\n]/

import type { IncomingMessage } from 'node:http'
import type { HttpRejection } from '../access/requestGuard.ts'

/**
 * A client may offer a protocol that we do not speak along with an ordinary request: Java's HttpClient offers h2c with
 * each POST. RFC 9110, 7.8: a server ignores an upgrade that it does not want. Node takes the body away with the
 * upgrade, so that the request is written again without the offer and parsed once more.
 */

export const isWebSocketUpgrade = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket'

/** The one version of the protocol that is served. */
const webSocketVersion = '13'

/** Returns the rejection of an upgrade to another version of WebSocket, or to none (RFC 6455, 4.2): it names the one that is served. */
export const checkVersion = ({ headers }: IncomingMessage): HttpRejection | undefined => {
  const wanted = headers['sec-websocket-version']
  if (wanted === webSocketVersion) return undefined
  return {
    status: wanted === undefined ? 400 : 426,
    reason: 'header',
    message: `this server speaks version ${webSocketVersion} of WebSocket: send Sec-WebSocket-Version: ${webSocketVersion}`,
    headers: {
      Connection: 'Upgrade, close',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': webSocketVersion,
    },
  }
}

const offerHeaders = new Set(['upgrade', 'http2-settings'])

/** Returns the head of the request without the offer, followed by `rest`. */
export const withoutUpgrade = (request: IncomingMessage, rest: Buffer): Buffer => {
  const { method, url, httpVersion, rawHeaders } = request
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    const value = rawHeaders[at + 1] ?? ''
    const key = name.toLowerCase()
    if (offerHeaders.has(key)) continue
    const kept = key === 'connection' ? withoutOffers(value) : value
    if (kept !== '' || key !== 'connection') lines.push(`${name}: ${kept}`)
  }
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), rest])
}

const withoutOffers = (connection: string): string =>
  connection
    .split(',')
    .map((option) => option.trim())
    .filter((option) => !offerHeaders.has(option.toLowerCase()))
    .join(', ')

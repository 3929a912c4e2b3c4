import { isIPv4, isIPv6 } from 'node:net'
import {
  formatSocketAddress,
  parseSocketAddress,
  type SocketAddress,
} from '../../base/encoding/socketAddress.ts'
import { type Kind, printable, quote, stringOnly, type TextParser } from './kind.ts'

/** The URL of an HTTP service, without user or password. */
export const httpUrl = (): Kind<string> => {
  const fromText: TextParser<string> = (value) => {
    const url = printable.test(value) && URL.canParse(value) ? new URL(value) : undefined
    const isPlain = url?.protocol === 'http:' && url.username === '' && url.password === ''
    return isPlain ? { value } : undefined
  }
  return {
    label: 'url',
    wanted: 'a URL such as http://127.0.0.1:26657',
    fromText,
    fromToml: stringOnly(fromText),
    toToml: quote,
  }
}

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** Formats an address as in URLs and in the configuration. */
export const formatAddress = ({ host, port }: ListenAddress): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`

const isHost = (host: string): boolean =>
  /^[\d.]+$/.test(host) ? isIPv4(host) : /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(host)

const parseHostAndPort = (text: string): ListenAddress | undefined => {
  const [, v6, name = '', digits] = /^(?:\[([0-9A-Fa-f.:]+)\]|([^:[\]]+)):(0|[1-9]\d{0,4})$/.exec(text) ?? []
  const port = Number(digits)
  if (!(v6 === undefined ? isHost(name) : isIPv6(v6)) || port > 65_535) return undefined
  return { host: v6 ?? name, port }
}

/** The `host:port` of another program. It is passed on unchanged. */
export const hostAndPort = (): Kind<string> => {
  const fromText: TextParser<string> = (value) =>
    parseHostAndPort(value) === undefined ? undefined : { value }
  return {
    label: 'text',
    wanted: 'host:port',
    rule: 'such as 127.0.0.1:26656 or [::1]:26656',
    fromText,
    fromToml: stringOnly(fromText),
    toToml: quote,
  }
}

/** The ABCI address at which an application serves CometBFT. */
export const abciAddress = (): Kind<SocketAddress> => {
  const fromText: TextParser<SocketAddress> = (text) => {
    const value = printable.test(text) ? parseSocketAddress(text) : undefined
    return value === undefined ? undefined : { value }
  }
  return {
    label: 'text',
    wanted: 'unix:///path or tcp://host:port',
    fromText,
    fromToml: stringOnly(fromText),
    toToml: (address) => quote(formatSocketAddress(address)),
  }
}

/**
 * An address to listen on; undefined means off. A missing host is rejected, because it would silently mean every
 * interface.
 */
export const listenAddress = (): Kind<ListenAddress | undefined> => {
  const fromText: TextParser<ListenAddress | undefined> = (text) => {
    if (text === '') return { value: undefined }
    const value = parseHostAndPort(text)
    return value === undefined ? undefined : { value }
  }
  return {
    label: 'host:port',
    wanted:
      'host:port such as 127.0.0.1:8545 or [::1]:8545 (port 0 picks a free one), or an empty text for off',
    fromText,
    fromToml: stringOnly(fromText),
    toToml: (at) => quote(at === undefined ? '' : formatAddress(at)),
  }
}

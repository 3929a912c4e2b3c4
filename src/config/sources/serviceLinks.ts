import { isIP } from 'node:net'

const isAddress = (value: string): boolean => isIP(value) !== 0
const isPort = (value: string): boolean => /^\d{1,5}$/.test(value)
const isLink = (value: string): boolean => /^(?:tcp|udp|sctp):\/\/\S+:\d{1,5}$/.test(value)
const isProtocol = (value: string): boolean => /^(?:tcp|udp|sctp)$/.test(value)

/** The ends of the names, and what the values must be. */
const links: readonly (readonly [name: RegExp, isValue: (value: string) => boolean])[] = [
  [/_SERVICE_HOST$/, isAddress],
  [/_SERVICE_PORT(?:_[A-Z0-9_]+)?$/, isPort],
  [/_PORT$/, isLink],
  [/_PORT_\d+_(?:TCP|UDP|SCTP)$/, isLink],
  [/_PORT_\d+_(?:TCP|UDP|SCTP)_PROTO$/, isProtocol],
  [/_PORT_\d+_(?:TCP|UDP|SCTP)_PORT$/, isPort],
  [/_PORT_\d+_(?:TCP|UDP|SCTP)_ADDR$/, isAddress],
]

/**
 * Returns whether Kubernetes set a variable: it gives each container the addresses of all services of its namespace, and a
 * service may have our name. Both the name and the value tell, so that a setting that is misspelt is none of them.
 */
export const isServiceLink = (name: string, value: string): boolean =>
  links.some(([pattern, isValue]) => pattern.test(name) && isValue(value))

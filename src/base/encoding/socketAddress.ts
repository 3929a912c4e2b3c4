/** Where a program listens, in the notation of CometBFT and other programs in Go. */
export type SocketAddress =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }

/** Parses `unix:///path` or `tcp://host:port`; returns undefined for anything else. */
export const parseSocketAddress = (text: string): SocketAddress | undefined => {
  const unix = /^unix:\/\/(\/.+)$/.exec(text)
  if (unix?.[1] !== undefined) return { kind: 'unix', path: unix[1] }
  const tcp = /^tcp:\/\/(\[[0-9a-fA-F:]+\]|[^:/]+):(\d{1,5})$/.exec(text)
  if (tcp?.[1] === undefined) return undefined
  const port = Number(tcp[2])
  return port > 65_535 ? undefined : { kind: 'tcp', host: tcp[1].replace(/^\[|\]$/g, ''), port }
}

export const formatSocketAddress = (address: SocketAddress): string => {
  if (address.kind === 'unix') return `unix://${address.path}`
  const host = address.host.includes(':') ? `[${address.host}]` : address.host
  return `tcp://${host}:${address.port}`
}

/** Returns whether only this computer reaches what listens on a host. */
export const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(?:\.\d+){3}$/.test(host)

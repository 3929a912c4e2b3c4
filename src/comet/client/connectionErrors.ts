/** OpenSSL's codes for a certificate whose issuer this machine does not know. */
const unknownIssuer =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(?:VERIFY|GET)_\w+)$/
/** What OpenSSL says of bytes that are not TLS at all. */
const notTls = /wrong version number|packet length too long|record layer failure|http request/i
const cometRpc = "gateway.node names CometBFT's RPC, whose port is 26657 unless it was changed"

/** Returns why a connection to a node failed, with what is often the cause: raw errors of the system name none. */
export const explainConnection = ({ code = '', message }: Error & { readonly code?: string }): string => {
  if (unknownIssuer.test(code))
    return `${message}: this machine does not know who issued the certificate; name a file with the CA in NODE_EXTRA_CA_CERTS`
  if (/^(?:EPROTO|ERR_SSL_)/.test(code) && notTls.test(message))
    return 'the node does not speak TLS there: its URL begins with http://, or another port is meant'
  if (code.startsWith('HPE_'))
    return `the node does not speak HTTP/1 there, as a gRPC port does not: ${cometRpc}, and gateway.grpc its gRPC`
  if (/^(?:socket hang up|other side closed)$/.test(message))
    return `the node closed the connection (${message}): if it speaks TLS, its URL begins with https://`
  return message
}

/** Returns why a node did not open a WebSocket. Who wants a key answers with 401 or 403, and who cannot reach the node with 5xx. */
export const explainHandshake = (status: number | undefined): string => {
  const text = `the node answered the handshake with ${status}`
  // Servers with TLS say 400 to a request without it.
  if (status === 400) return `${text}: ${cometRpc}; if it speaks TLS, its URL begins with https://`
  return [404, 405, 426].includes(status ?? 0) || (status !== undefined && status < 400)
    ? `${text}: ${cometRpc}; JSON-RPC and REST have ports of their own`
    : text
}

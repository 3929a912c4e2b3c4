import { Redaction } from '../../base/logging/redaction.ts'
import { explainConnection } from '../../comet/client/connectionErrors.ts'
import type { NodeHeaders } from '../../comet/client/httpClient.ts'
import { GrpcError, RateLimitError } from '../../comet/data/transportErrors.ts'
import type { Config } from '../../config/settings/settings.ts'
import { toUpstreamAddresses, type UpstreamAddress } from '../../gateway/upstreams/choice/upstreamAddress.ts'
import { GrpcClient, isSizeLimit } from '../../gateway/upstreams/grpcClient.ts'
import { toHeaders } from '../settings/forkOptions.ts'
import { type Finding, ok, problem, warning } from './finding.ts'
import { checkGatewayChain } from './gatewayChain.ts'

const timeoutMs = 5000
const maxReplyBytes = 1_000_000
/** Beyond so many seconds a clock is wrong, and not only the response slow. */
const clockToleranceSeconds = 10

interface Answer {
  /** What to show: the address without what may be a key, and what it said. */
  readonly text: string
  readonly error?: string
  /** The difference of its clock to ours. */
  readonly clockSeconds?: number
}

/** Asks a CometBFT node for its state. */
export const askComet = async (url: string, headers: NodeHeaders = {}): Promise<Answer> =>
  ask(url, { headers, body: callOf('status', {}) }, (body) => {
    const { result } = body as {
      readonly result?: {
        readonly node_info?: { readonly network?: string; readonly version?: string }
        readonly sync_info?: { readonly latest_block_height?: string; readonly catching_up?: boolean }
      }
    }
    if (result?.node_info === undefined) throw new Error('it does not answer as CometBFT does')
    const { node_info: node, sync_info: sync } = result
    const behind = sync?.catching_up === true ? ', catching up' : ''
    return `CometBFT ${node.version} of ${node.network} at height ${sync?.latest_block_height}${behind}`
  })

/** Checks whether the nodes behind a gateway answer, and which chain they are on. One of many may be down. */
export const checkUpstreams = async (config: Config): Promise<readonly Finding[]> => {
  const { gateway } = config
  const nodes = toUpstreamAddresses(gateway)
  const answers = await Promise.all(nodes.map(({ node, headers }) => askComet(node, headers)))
  const isServed = answers.some(({ error }) => error === undefined)
  const grpc = await Promise.all(nodes.map(checkGrpc))
  return [
    ...answers.map(({ text, error }) => {
      if (error === undefined) return ok('upstream', text)
      const remedy = 'start that node, let this machine reach it, or correct --gateway.node'
      return isServed ? warning('upstream', text, remedy) : problem('upstream', text, remedy)
    }),
    ...answers.flatMap(({ clockSeconds }) =>
      clockSeconds === undefined || Math.abs(clockSeconds) <= clockToleranceSeconds
        ? []
        : [
            warning(
              'clock',
              `this clock differs by ${clockSeconds} s from that of an upstream`,
              'set the clock (`timedatectl set-ntp true`)',
            ),
          ],
    ),
    ...grpc.flat(),
    ...(isServed ? await checkGatewayChain(config) : []),
  ]
}

/** Looks whether the node that a dev chain is forked from answers. */
export const checkRemote = async ({ forkUrl, forkHeader }: Config): Promise<readonly Finding[]> => {
  if (forkUrl === undefined) return []
  const headers = toHeaders(forkHeader)
  const { text, error } = await ask(forkUrl, { headers, body: callOf('eth_blockNumber', []) }, (body) => {
    const { result } = body as { readonly result?: unknown }
    if (typeof result !== 'string') throw new Error('it does not answer eth_blockNumber')
    return `block ${Number(result)}`
  })
  return [
    error === undefined
      ? ok('fork', text)
      : problem('fork', text, 'correct --fork-url and its key, or let this machine reach it'),
  ]
}

interface Request {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Returns the text of a call, by which a gateway asks too: a proxy may pass on nothing else. */
const callOf = (method: string, params: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

/** Takes the user out of a URL, which fetch does not take with one. */
const splitUser = (url: string): { readonly address: URL; readonly authorization: NodeHeaders } => {
  const address = new URL(url)
  const user = [address.username, address.password].map(decodeURIComponent).join(':')
  address.username = ''
  address.password = ''
  const value = `Basic ${Buffer.from(user).toString('base64')}`
  return { address, authorization: user === ':' ? {} : { authorization: value } }
}

const readText = async ({ body }: Response): Promise<string> => {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of body ?? []) {
    length += piece.length
    if (length > maxReplyBytes) throw new Error(`its response is larger than ${maxReplyBytes} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

const ask = async (
  url: string,
  { headers, body }: Request,
  describe: (body: unknown) => string,
): Promise<Answer> => {
  const redaction = new Redaction(url, headers)
  try {
    const { address, authorization } = splitUser(url)
    const reply = await fetch(address, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...authorization, ...headers },
      // The keys are for this host alone, and a gateway follows no redirect either.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (reply.status >= 300 && reply.status < 400)
      throw new Error(`it answers ${reply.status}, which sends to another address: name that one`)
    if (!reply.ok) throw new Error(`it answers ${reply.status}`)
    const text = describe(JSON.parse(await readText(reply)))
    const date = Date.parse(reply.headers.get('date') ?? '')
    return {
      text: `${redaction.shownUrl}: ${text}`,
      ...(Number.isNaN(date) ? {} : { clockSeconds: Math.round((Date.now() - date) / 1000) }),
    }
  } catch (error) {
    const { message, cause } = error as Error
    const reason = redaction.clean(cause instanceof Error ? explainConnection(cause) : message)
    return { text: `${redaction.shownUrl}: ${reason}`, error: reason }
  }
}

/** Every node of the Cosmos SDK answers it, and others say that they do not know it. */
const grpcMethod = '/cosmos.base.tendermint.v1beta1.Service/GetNodeInfo'

const grpcRemedy = (error: unknown): string => {
  if (error instanceof RateLimitError)
    return 'raise the rate limit of its provider or proxy, name more nodes, or leave --gateway.grpc out'
  return isSizeLimit(error)
    ? "raise max-send-msg-size and max-recv-msg-size ([grpc] in the node's app.toml), or leave --gateway.grpc out"
    : 'correct --gateway.grpc, or leave it out'
}

const checkGrpc = async ({ grpc, grpcHeaders }: UpstreamAddress): Promise<readonly Finding[]> => {
  if (grpc === undefined) return []
  const client = new GrpcClient(grpc, { maxReplyBytes, headers: grpcHeaders })
  try {
    await client.call(grpcMethod, new Uint8Array(), undefined, { timeoutMs })
  } catch (error) {
    // That it does not know the method is a response of gRPC too.
    if (!(error instanceof GrpcError) || isSizeLimit(error)) {
      const reason = new Redaction(`http://${grpc}`, grpcHeaders ?? {}).clean((error as Error).message)
      return [warning('upstream', `gRPC ${grpc}: ${reason}`, grpcRemedy(error))]
    }
  } finally {
    client.close()
  }
  return [ok('upstream', `gRPC ${grpc} answers`)]
}

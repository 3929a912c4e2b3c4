import { join } from 'node:path'
import { findVirtualFileSystem } from '../../base/files/fileSystem.ts'
import { isTooLongForSocket, maxSocketPathBytes } from '../../base/files/socketPath.ts'
import { type Config, type SettingName, settings } from '../settings/settings.ts'

/** The purpose of a configuration: to run a node, to run a gateway, or for another command. */
export type Purpose = 'node' | 'gateway' | 'other'

export interface RuleInputs {
  readonly config: Config
  readonly purpose: Purpose
  /** Returns the source of a setting's value, for a user to look at. */
  readonly where: (name: SettingName) => string
}

/** A rule between settings. Returns the problem in one line, or undefined. */
type Rule = (inputs: RuleInputs) => string | undefined

const rules: readonly Rule[] = [
  ({ config: { home }, where }) => {
    const virtual = findVirtualFileSystem(home)
    return virtual === undefined
      ? undefined
      : `home: got ${JSON.stringify(home)} (${where('home')}), wanted a folder that can hold files: it is on ${virtual}`
  },

  ({ config: { jsonRpc }, where }) =>
    jsonRpc.rateLimit > 0 && jsonRpc.rateLimitBurst < 1
      ? `json-rpc.rate-limit-burst: got 0 (${where('json-rpc.rate-limit-burst')}), wanted at least 1 with ` +
        `json-rpc.rate-limit set (${where('json-rpc.rate-limit')}): no request would pass`
      : undefined,

  ({ config: { jsonRpc }, where }) => {
    if ((jsonRpc.tlsCert === undefined) === (jsonRpc.tlsKey === undefined)) return undefined
    const [given, missing] =
      jsonRpc.tlsKey === undefined
        ? (['json-rpc.tls-cert', 'json-rpc.tls-key'] as const)
        : (['json-rpc.tls-key', 'json-rpc.tls-cert'] as const)
    return `${given}: given (${where(given)}) without ${missing}, wanted both`
  },

  ({ config: { gateway }, where }) => {
    if ((gateway.trustHeight === undefined) === (gateway.trustHash === undefined)) return undefined
    const [given, missing] =
      gateway.trustHash === undefined
        ? (['gateway.trust-height', 'gateway.trust-hash'] as const)
        : (['gateway.trust-hash', 'gateway.trust-height'] as const)
    return `${given}: given (${where(given)}) without ${missing}, wanted both`
  },

  // A proof that leads to a header which is only believed would prove nothing.
  ({ config: { gateway }, where }) =>
    gateway.verifyState !== false && !gateway.verify
      ? `gateway.verify-state: ${gateway.verifyState} (${where('gateway.verify-state')}) needs gateway.verify, which is false ` +
        `(${where('gateway.verify')})`
      : undefined,

  // A body is held three times (its bytes, its text, its values), and large requests have three quarters of the memory.
  ({ config: { jsonRpc }, where }) =>
    jsonRpc.requestMemory < 4 * jsonRpc.maxBodySize
      ? `json-rpc.request-memory: got ${jsonRpc.requestMemory} (${where('json-rpc.request-memory')}), wanted at least four ` +
        `times json-rpc.max-body-size (${jsonRpc.maxBodySize}, ${where('json-rpc.max-body-size')}): no such body would pass`
      : undefined,

  ({ config: { jsonRpc }, where }) => {
    const spools = [
      ['json-rpc.trace-spool', jsonRpc.traceSpool],
      ['json-rpc.trace-spool-per-client', jsonRpc.traceSpoolPerClient],
    ] as const
    const [name, bytes] = spools.find(([, size]) => size < jsonRpc.traceMaxSize) ?? []
    return name === undefined
      ? undefined
      : `${name}: got ${bytes} (${where(name)}), wanted at least json-rpc.trace-max-size (${jsonRpc.traceMaxSize}, ` +
          `${where('json-rpc.trace-max-size')}): no such trace would pass`
  },

  // The default of queue-timeout gives way to a short http-timeout: the shorter of the two ends every wait.
  ({ config: { jsonRpc }, where }) =>
    jsonRpc.queueTimeout > jsonRpc.httpTimeout &&
    jsonRpc.queueTimeout !== settings['json-rpc.queue-timeout'].default
      ? `json-rpc.queue-timeout: got ${jsonRpc.queueTimeout} ms (${where('json-rpc.queue-timeout')}), wanted at most ` +
        `json-rpc.http-timeout (${jsonRpc.httpTimeout} ms, ${where('json-rpc.http-timeout')}): no call waits longer`
      : undefined,

  ({ config: { statesync }, where }) =>
    statesync.rpcServers.length === 1
      ? `statesync.rpc-servers: got one address (${where('statesync.rpc-servers')}), wanted two or more: one is ` +
        'checked against the other'
      : undefined,

  ({ config: { statesync }, where }) =>
    statesync.rpcServers.length > 0 && statesync.trustHeight === 0
      ? `statesync.trust-height: got 0 (${where('statesync.trust-height')}), wanted the height of a block that is ` +
        'known to be right'
      : undefined,

  ({ config: { statesync }, where }) =>
    statesync.rpcServers.length > 0 && statesync.trustHash === ''
      ? `statesync.trust-hash: got "" (${where('statesync.trust-hash')}), wanted CometBFT's hash of that block, 64 ` +
        'hex digits'
      : undefined,

  ({ config: { jsonRpc }, purpose, where }) =>
    purpose === 'gateway' && (jsonRpc.workers ?? 0) > 0
      ? `json-rpc.workers: got ${jsonRpc.workers} (${where('json-rpc.workers')}), wanted 0 or auto: a gateway serves in one ` +
        'process; for more, run more gateways'
      : undefined,

  ({ config: { gateway }, purpose }) =>
    purpose === 'gateway' && gateway.node.length === 0
      ? 'gateway.node: none is given; name a node of the chain with --node http://host:26657'
      : undefined,

  ({ config: { gateway }, where }) =>
    gateway.node.length > 0 && gateway.grpc.length > gateway.node.length
      ? `gateway.grpc: got ${gateway.grpc.length} addresses (${where('gateway.grpc')}), wanted at most one for each ` +
        `of the ${gateway.node.length} nodes (gateway.node)`
      : undefined,

  ({ config: { gateway }, where }) => {
    const { node, roles, weights } = gateway
    if (node.length === 0) return undefined
    const many = roles.length > node.length ? 'roles' : weights.length > node.length ? 'weights' : undefined
    if (many !== undefined)
      return `gateway.${many}: got ${gateway[many].length} (${where(`gateway.${many}`)}), wanted at most one for each of the ${node.length} nodes (gateway.node)`
    if (roles.length < node.length) return undefined
    const hasRole = (pattern: RegExp): boolean => roles.some((role) => pattern.test(role))
    const missing = hasRole(/send|all/)
      ? hasRole(/head|archive|all/)
        ? undefined
        : 'head or archive'
      : 'send'
    return missing === undefined
      ? undefined
      : `gateway.roles: no node has ${missing} (${where('gateway.roles')})`
  },

  ({ config: { forkUrl, engine, genesis }, where }) => {
    if (forkUrl === undefined || (engine === 'solo' && genesis === undefined)) return undefined
    const other = engine === 'solo' ? 'genesis' : 'engine'
    return `fork-url: given (${where('fork-url')}) together with ${other} (${where(other)}): only the dev chain of the solo engine can be forked`
  },

  ({ config: { forkUrl }, purpose, where }) =>
    purpose === 'gateway' && forkUrl !== undefined
      ? `fork-url: given (${where('fork-url')}) to a gateway, which serves the chain of its nodes (--node): perihelion start and perihelion anvil fork`
      : undefined,

  ({ config: { forkUrl, forkBlock }, where }) =>
    forkBlock !== undefined && forkUrl === undefined
      ? `fork-block: got ${forkBlock} (${where('fork-block')}) without fork-url, wanted both`
      : undefined,

  ({ config: { forkUrl, pruning }, where }) =>
    forkUrl !== undefined && pruning !== 'archive'
      ? `pruning: got ${pruning} (${where('pruning')}), wanted archive with fork-url: its record of deletions must be kept`
      : undefined,

  ({ config: { home, ipcPath }, purpose, where }) => {
    const path = ipcPath ?? join(home, 'perihelion.ipc')
    return purpose !== 'other' && isTooLongForSocket(path)
      ? `ipc-path: got ${JSON.stringify(path)} (${where(ipcPath === undefined ? 'home' : 'ipc-path')}), wanted at most ` +
          `${maxSocketPathBytes} bytes: set a shorter one with --ipc-path`
      : undefined
  },

  ({ config: { home, engine, abciAddress, ephemeral }, purpose, where }) => {
    const socket = join(home, 'engine', 'app.sock')
    const isUsed = purpose === 'node' && engine === 'cometbft' && abciAddress === undefined && !ephemeral
    return isUsed && isTooLongForSocket(socket)
      ? `home: got ${JSON.stringify(home)} (${where('home')}), wanted a shorter path: ${socket} is too long for a socket`
      : undefined
  },
]

/** Returns all contradictions between settings. */
export const checkRules = (inputs: RuleInputs): readonly string[] =>
  rules.flatMap((rule) => rule(inputs) ?? [])

import type { SettingName } from '../../config/settings/settings.ts'

/** The settings that people change, with a few words on each; the table of settings has all of it. */
export type CommonSettings = readonly (readonly [name: SettingName, label: string, about: string])[]

const serving: CommonSettings = [
  ['home', 'folder', 'configuration, keys and data (~/.perihelion)'],
  ['json-rpc.address', 'host:port', 'HTTP and WebSocket (127.0.0.1:8545); port 0 picks a free one'],
  ['json-rpc.ws-address', 'host:port', 'WebSocket alone (0.0.0.0:8546)'],
  ['json-rpc.api', 'names', 'namespaces, such as eth,net,web3,debug'],
  ['json-rpc.cors', 'origins', 'web pages that may call, such as https://app.example'],
  ['json-rpc.keys', 'file', 'API keys: each request needs one (perihelion key)'],
]

const logging: CommonSettings = [
  ['log.level', 'level', 'silent, error, warn, info (default), debug, trace'],
  ['log.format', 'form', 'json or text; by default text on a terminal; also --json'],
]

/** Of a node. */
export const startSettings: CommonSettings = [
  ...serving,
  ['chain-id', 'id', 'of a new dev chain (31337)'],
  ['accounts', 'number', 'funded accounts of a new dev chain (10)'],
  ['balance', 'coins', 'of each of them (10000)'],
  ['mnemonic', 'words', 'that they are derived from'],
  ['block-time', 'time', 'between two blocks, such as 2s; 0 (default): one for each transaction'],
  ['ephemeral', 'boolean', 'a chain that is deleted on exit'],
  ['artifacts', 'folder', 'of a compiler (out/, artifacts/): Solidity stack traces'],
  ['fork-url', 'url', 'fork the chain of this node into a new dev chain'],
  ['fork-block', 'number', 'where it is forked'],
  ['fork-name', 'name', 'the rules of a new dev chain (osaka)'],
  ['genesis', 'file', "geth's genesis file, for a chain of your own"],
  ['engine', 'name', 'solo (default), cometbft for many validators, none to only serve'],
  ['persistent-peers', 'peers', 'other nodes as id@host:port, with cometbft'],
  ['pruning', 'mode', 'which states are kept: archive (default), default, everything'],
  ['dev', 'boolean', 'the profile for development; false where others reach the node'],
  ['quiet', 'boolean', 'show no blocks and transactions'],
  ['verbose', 'boolean', 'show every method that is called'],
  ...logging,
]

/** Of a gateway. */
export const gatewaySettings: CommonSettings = [
  ['gateway.node', 'urls', 'RPC of nodes of the chain, http://host:26657; also --node, once for each'],
  ['gateway.grpc', 'addresses', 'gRPC of the same nodes, host:9090; also --grpc'],
  ['gateway.from', 'height', 'where a new home begins; also --from'],
  ['gateway.chain-id', 'id', 'EIP-155; by default that of the chain; also --chain-id'],
  ...serving,
  ['min-retain-blocks', 'number', 'blocks to keep; 0 (default): all'],
  ['json-rpc.gas-cap', 'gas', 'the most that a call may use'],
  ['json-rpc.rate-limit', 'number', 'requests per second and client address; 0 (default): no limit'],
  ...logging,
]

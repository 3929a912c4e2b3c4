import { familyNames } from './gen/familyNames.ts'
import {
  autoBoolean,
  boolean,
  byteSize,
  choice,
  cidrs,
  coins,
  duration,
  gasPrice,
  httpUrl,
  integer,
  type Kind,
  list,
  listenAddress,
  text,
  type ValueOf,
} from './kinds.ts'

export interface Setting<T> {
  readonly kind: Kind<T>
  readonly default: T
  /** One or two sentences: what it does, in which unit, what happens at the limit. */
  readonly about: string
  /** True where the value cannot stand in app.toml. */
  readonly notInFile?: true
  /** True where the value is never printed, unless it is the default that everybody knows. */
  readonly isSecret?: true
}

/** The kind alone fixes the type, so a default of another type does not compile. */
type Entry<T> = Omit<Setting<T>, 'default'> & { readonly default: NoInfer<T> }

const setting = <T>(entry: Entry<T>): Setting<T> => Object.freeze(entry)

/**
 * Every setting, once. The key is its name everywhere: the flag `--json-rpc.address`, the variable
 * `PERIHELION_JSON_RPC_ADDRESS`, `address` in section `[json-rpc]` of app.toml, and `config['json-rpc.address']`.
 */
export const settings = Object.freeze({
  home: setting({
    kind: text({ wanted: 'a folder', min: 1 }),
    default: '~/.perihelion',
    about: 'The folder of this node: its configuration, keys and data. It is made on the first start.',
    notInFile: true,
  }),
  'minimum-gas-prices': setting({
    kind: gasPrice(),
    default: 0n,
    about:
      'The lowest price for a unit of gas, in wei, at which this node takes a transaction; cheaper ones are refused. ' +
      'miner_setGasPrice writes it here for the next start.',
  }),
  'ipc-path': setting({
    kind: text({ wanted: 'a path' }),
    default: '',
    about:
      'The path of the IPC socket, at most 107 bytes; empty means perihelion.ipc in the home folder. ' +
      'Whoever can open the socket may call private methods.',
  }),
  dev: setting({
    kind: autoBoolean(),
    default: undefined,
    about:
      'The profile for development: all namespaces with the dev methods, unlocked accounts, and calls from web pages ' +
      'on any port of localhost. auto turns it on where the solo engine runs without a genesis file.',
  }),
  engine: setting({
    kind: choice('solo', 'cometbft', 'none'),
    default: 'solo',
    about:
      'What makes blocks: solo makes them in this process, cometbft lets many validators decide them through a ' +
      'CometBFT process, none makes none, so that a home is only served and its pool only filled.',
  }),
  cometbft: setting({
    kind: text({ wanted: 'a path' }),
    default: '',
    about:
      'The CometBFT program that this node starts; empty means the one on the path, or else one that is installed ' +
      'with the Go toolchain.',
  }),
  'abci-address': setting({
    kind: text({ wanted: 'unix:///path or tcp://host:port' }),
    default: '',
    about:
      'Where a CometBFT that somebody else runs finds the application; empty means that this node runs it itself. ' +
      'Whoever can connect decides what the chain holds: never an address that others can reach.',
  }),
  'engine-rpc': setting({
    kind: httpUrl(),
    default: 'http://127.0.0.1:26657',
    about:
      'The RPC of CometBFT: where it is, if somebody else runs it; where it listens, in a new home of our own.',
  }),
  'engine-p2p': setting({
    kind: text({ wanted: 'host:port', min: 1 }),
    default: '0.0.0.0:26656',
    about: 'Where CometBFT listens for its peers, in a new home. Later its own config.toml says so.',
  }),
  'engine-metrics': setting({
    kind: text({ wanted: 'host:port' }),
    default: '',
    about:
      'Where CometBFT shows its own metrics, in a new home; empty: it shows none. Later its own config.toml says so.',
  }),
  'persistent-peers': setting({
    kind: text({ wanted: 'id@host:port, separated by commas' }),
    default: '',
    about:
      'The nodes to which CometBFT keeps a connection, in a new home. Later its own config.toml says so.',
  }),
  genesis: setting({
    kind: text({ wanted: 'a path' }),
    default: '',
    about:
      'The genesis file, in the format of geth, with which an empty home begins; empty means the dev genesis. ' +
      'A home that has a chain must have begun with the same one.',
  }),
  'chain-id': setting({
    kind: integer({ min: 1 }),
    default: 31_337,
    about: 'The chain id of the dev genesis (EIP-155).',
  }),
  'fork-name': setting({
    kind: text({ wanted: 'the name of a fork such as prague', min: 1 }),
    default: 'osaka',
    about: 'The rules of the dev genesis, from block 0 on: the name of an Ethereum fork in camelCase.',
  }),
  accounts: setting({
    kind: integer({ min: 0, max: 1000 }),
    default: 10,
    about: 'How many accounts of the mnemonic the dev profile unlocks and the dev genesis funds.',
  }),
  mnemonic: setting({
    kind: text({ wanted: 'a mnemonic of 12 to 24 words', min: 1 }),
    default: 'test test test test test test test test test test test junk',
    about:
      'The words from which the dev accounts are derived. Everybody knows the default: never use it for value.',
    isSecret: true,
  }),
  balance: setting({
    kind: integer({ min: 0 }),
    default: 10_000,
    about: 'The balance of each dev account in the dev genesis, in whole coins.',
  }),
  coinbase: setting({
    kind: text({ wanted: 'an address' }),
    default: '',
    about:
      'The address that receives the tips of the blocks made here; empty means the account of the mnemonic after ' +
      'the tenth. miner_setEtherbase changes it at run time and writes it here.',
  }),
  'block-time': setting({
    kind: duration({ min: 0 }),
    default: 0,
    about:
      'The time between two blocks; 0 makes a block as soon as there is a transaction. In a new home with CometBFT: ' +
      'its pause after each block, one second if 0.',
  }),
  'create-empty-blocks': setting({
    kind: boolean(),
    default: true,
    about: 'With a block time: whether blocks come without transactions too.',
  }),
  pruning: setting({
    kind: choice('archive', 'default', 'everything'),
    default: 'archive',
    about:
      'Which states are kept: all of them, the last 100,000 or the last 10. Blocks, receipts and logs stay. ' +
      'Older states are answered with -32002.',
  }),
  ephemeral: setting({
    kind: boolean(),
    default: false,
    about: 'Begins a new chain in a folder of its own, which is removed at the end.',
  }),
  lightkdf: setting({
    kind: boolean(),
    default: false,
    about:
      'Encrypts new keys with less memory and time (scrypt n 4096 in place of 262144). Whoever gets hold of a file ' +
      'guesses its password that much faster.',
  }),
  'index.appearances': setting({
    kind: boolean(),
    default: true,
    about:
      'Keeps the index from addresses to the transactions in which they are sender, recipient, created or the origin ' +
      'of a log. Turned on again it begins with the next block.',
  }),
  'snapshot.interval': setting({
    kind: integer({ min: 0 }),
    default: 0,
    about:
      'With CometBFT: a snapshot of the state is taken at each height that this divides, from which new nodes join ' +
      'by state sync; 0 takes none. Nodes that use the same number offer the same snapshots.',
  }),
  'snapshot.keep': setting({
    kind: integer({ min: 1, max: 100 }),
    default: 2,
    about: 'How many snapshots are kept, under data/snapshots. Each takes about as much room as the state.',
  }),
  'statesync.rpc-servers': setting({
    kind: list({ item: /^(?:https?:\/\/)?[^/\s]+$/, wanted: 'at least two addresses such as host:26657' }),
    default: [],
    about:
      'The RPC addresses of two or more CometBFT nodes, against which a new home checks the snapshot that it joins ' +
      'from; empty means that it joins by executing every block. Later its own config.toml says so.',
  }),
  'statesync.trust-height': setting({
    kind: integer({ min: 0 }),
    default: 0,
    about: 'A height of the chain whose block is known to be right, not older than the trust period.',
  }),
  'statesync.trust-hash': setting({
    kind: text({ wanted: "CometBFT's hash of that block, 64 hex digits" }),
    default: '',
    about: "CometBFT's hash of the block at the trust height, from somebody who is trusted.",
  }),
  'statesync.trust-period': setting({
    kind: duration({ min: 1 }),
    default: 604_800_000,
    about: 'How long validators answer for what they signed, so that a block of that age is still trusted.',
  }),
  'log.level': setting({
    kind: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    default: 'info',
    about: 'The least severe level that is logged to stderr.',
  }),
  'txpool.account-slots': setting({
    kind: integer({ min: 1 }),
    default: 16,
    about:
      'How many pending transactions an account keeps when the pool is full, as long as others do not pay more.',
  }),
  'txpool.account-queue': setting({
    kind: integer({ min: 0 }),
    default: 64,
    about: 'How many transactions of an account may wait for ones before them. Further ones are refused.',
  }),
  'txpool.global-slots': setting({
    kind: integer({ min: 1 }),
    default: 5120,
    about:
      'The room for pending transactions, in slots of 32 KiB. When it is full, who pays least has to leave.',
  }),
  'txpool.global-queue': setting({
    kind: integer({ min: 0 }),
    default: 1024,
    about: 'The room for transactions that wait for ones before them, in slots of 32 KiB.',
  }),
  'txpool.price-bump': setting({
    kind: integer({ min: 1, max: 1000 }),
    default: 10,
    about: 'By how many per cent the fees must rise for a transaction to replace one with the same nonce.',
  }),
  'txpool.lifetime': setting({
    kind: duration(),
    default: 10_800_000,
    about: 'How long a transaction may wait for ones before it. It is dropped after that.',
  }),
  'profiling.heap-sample': setting({
    kind: byteSize({ min: 0 }),
    default: 524_288,
    about:
      'How many bytes are allocated between two samples of the heap, which debug_writeMemProfile writes; 0 takes none.',
  }),
  'gateway.node': setting({
    kind: list({
      item: /^https?:\/\/[^\s,/]+(?:\/[^\s,]*)?$/,
      wanted: 'URLs of CometBFT such as http://host:26657',
    }),
    default: [],
    about:
      'The RPC of the nodes of the chain behind the gateway, the preferred one first; also --node, once for each. All ' +
      'must be of one chain. A node that fails is passed over until it answers again.',
  }),
  'gateway.grpc': setting({
    kind: list({ item: /^[^\s,/]+:\d{1,5}$/, wanted: 'addresses such as host:9090' }),
    default: [],
    about:
      'The gRPC of the same nodes, in the same order; also --grpc, once for each. Without it queries go through ' +
      'CometBFT, where a slow call holds up others.',
  }),
  'gateway.from': setting({
    kind: integer({ min: 0 }),
    default: 0,
    about:
      'The height at which a new home begins; also --from. 0 means the earliest that a node has. Older blocks, ' +
      'transactions and logs are not found.',
  }),
  'gateway.family': setting({
    kind: choice('auto', ...familyNames),
    default: 'auto',
    about: 'Whose words the chain speaks; auto asks it.',
  }),
  'gateway.chain-id': setting({
    kind: integer({ min: 0 }),
    default: 0,
    about: 'The chain id of the EVM (EIP-155), also --chain-id; 0 asks the chain.',
  }),
  'gateway.native-chain-id': setting({
    kind: text({ wanted: 'the name of a chain such as evmos_9001-2' }),
    default: '',
    about:
      "CometBFT's name of the chain: nodes of another one are not used. Empty takes that of the first node.",
  }),
  'gateway.forks': setting({
    kind: text({ wanted: 'a path' }),
    default: '',
    about:
      'A file with the forks of the chain, as the config object of a genesis file of geth; empty asks the chain.',
  }),
  'gateway.fee-denom': setting({
    kind: text({ wanted: 'a denomination' }),
    default: '',
    about: 'The denomination, with 18 decimals, in which fees are paid; empty asks the chain.',
  }),
  'gateway.decimals': setting({
    kind: integer({ min: 0, max: 18 }),
    default: 0,
    about: "The decimals of the chain's coin; 0 asks the chain.",
  }),
  'gateway.bech32-prefix': setting({
    kind: text({ wanted: 'a prefix such as cosmos' }),
    default: '',
    about: 'The prefix of accounts of the chain; empty asks the chain.',
  }),
  'gateway.evm-package': setting({
    kind: text({ wanted: 'a package such as ethermint.evm.v1' }),
    default: '',
    about:
      "The package of the messages and queries of the chain's EVM module, where it has one of its own; empty tries those that are known.",
  }),
  'gateway.earliest-state': setting({
    kind: integer({ min: 0 }),
    default: 0,
    about: 'The lowest height whose state a node has; 0 asks the chain.',
  }),
  'gateway.query-timeout': setting({
    kind: duration(),
    default: 10_000,
    about: 'The longest time for one question to the nodes of the chain, all that are tried together.',
  }),
  'gateway.cache-size': setting({
    kind: byteSize({ min: 0 }),
    default: 64_000_000,
    about: 'The memory, in bytes, for answers of the chain about states, which are the same for ever.',
  }),
  'gateway.cosmos-view': setting({
    kind: boolean(),
    default: false,
    about:
      "Shows Cosmos transactions as synthetic ones behind a block's Ethereum ones, and their events as logs; also " +
      '--cosmos-view. Hashes, roots and gas of blocks stay those of the default view.',
  }),
  'json-rpc.enable': setting({
    kind: boolean(),
    default: true,
    about: 'Serves JSON-RPC over HTTP and WebSocket.',
  }),
  'json-rpc.address': setting({
    kind: listenAddress(),
    default: { host: '127.0.0.1', port: 8545 },
    about:
      'The listen address for HTTP, where WebSocket upgrades are taken too. Port 0 picks a free port; an empty ' +
      'text turns it off.',
  }),
  'json-rpc.ws-address': setting({
    kind: listenAddress(),
    default: { host: '0.0.0.0', port: 8546 },
    about:
      'The listen address for WebSocket; it may equal the HTTP address. Port 0 picks a free port; an empty text ' +
      'turns it off.',
  }),
  'json-rpc.api': setting({
    kind: list({ item: /^[a-z][a-z0-9]*$/, wanted: 'namespaces such as eth,net,web3' }),
    default: [],
    about:
      'The namespaces that are served. Empty lets the profile decide: eth, net and web3, or everything in the dev ' +
      'profile.',
  }),
  'json-rpc.cors': setting({
    kind: list({
      item: /^(?:\*|[a-z][a-z0-9+.-]*:\/\/[^/]+)$/,
      wanted: 'origins such as https://app.example (no path, no slash at the end), or *',
    }),
    default: [],
    about:
      'The origins of web pages that may call, over HTTP and WebSocket; * means every one. Pages from elsewhere ' +
      'get no CORS headers, and their WebSocket upgrades are answered 403.',
  }),
  'json-rpc.vhosts': setting({
    kind: list({
      item: /^(?:\*|[A-Za-z0-9._-]+)$/,
      wanted: 'host names such as rpc.example (no port), or *',
    }),
    default: [],
    about:
      'The host names accepted in the Host header besides localhost and IP addresses; * means every one. ' +
      'Requests for other names are answered 403.',
  }),
  'json-rpc.trusted-proxies': setting({
    kind: cidrs(),
    default: [],
    about:
      'The networks of reverse proxies whose forwarded-for header names the client. Limits per client address ' +
      'use the address of the connection for everybody else.',
  }),
  'json-rpc.allow-insecure-unlock': setting({
    kind: boolean(),
    default: false,
    about:
      'Lets callers from other machines sign with unlocked accounts without a token. Anybody who reaches the ' +
      'port can then spend from those accounts.',
  }),
  'json-rpc.gas-cap': setting({
    kind: integer({ min: 21_000 }),
    default: 50_000_000,
    about: 'The most gas that one eth_call may use; a call that asks for more gets this much.',
  }),
  'json-rpc.allow-unprotected-txs': setting({
    kind: boolean(),
    default: false,
    about: 'Takes transactions that are signed for no chain in particular (before EIP-155).',
  }),
  'json-rpc.evm-timeout': setting({
    kind: duration(),
    default: 5000,
    about: 'The longest time for one eth_call. A call past it gets -32000.',
  }),
  'json-rpc.inline-gas': setting({
    kind: integer({ min: 0 }),
    default: 500_000,
    about:
      'The gas up to which a call is answered on the main thread. A call that uses more is run again on a call worker.',
  }),
  'json-rpc.call-workers': setting({
    kind: integer({ min: 1, max: 256 }),
    default: 2,
    about: 'The threads for calls that use much gas. They start when they are needed.',
  }),
  'json-rpc.call-queue': setting({
    kind: integer({ min: 0 }),
    default: 1000,
    about: 'The most calls that may wait for a call worker. Calls past it get -32005.',
  }),
  'json-rpc.call-memory': setting({
    kind: byteSize(),
    default: 256_000_000,
    about: 'The most memory, in bytes, for the heap of one call worker. A call that needs more gets -32000.',
  }),
  'json-rpc.txfee-cap': setting({
    kind: coins(),
    default: 10n ** 18n,
    about:
      'The most, in whole coins, that a transaction sent to this node may offer for its gas; 0 means no limit. ' +
      'One that offers more gets -32000.',
  }),
  'json-rpc.trace-workers': setting({
    kind: integer({ min: 1, max: 256 }),
    default: 1,
    about:
      'The threads for traces, which run at a lower priority than everything else. They start when they are needed.',
  }),
  'json-rpc.trace-timeout': setting({
    kind: duration(),
    default: 5000,
    about:
      'The longest time for the trace of one transaction, where the caller names none. A trace past it gets -32000.',
  }),
  'json-rpc.trace-max-size': setting({
    kind: byteSize(),
    default: 512_000_000,
    about:
      'The most text of one trace, in bytes. Up to 8 MB it is held in memory, then in a file under tmp in the home ' +
      'folder. A larger trace gets -32000.',
  }),
  'json-rpc.trace-memory': setting({
    kind: byteSize(),
    default: 512_000_000,
    about:
      'The most memory, in bytes, for the heap of one trace worker; a tracer may remember a quarter of it. A trace ' +
      'that needs more gets -32000.',
  }),
  'json-rpc.feehistory-cap': setting({
    kind: integer({ min: 1 }),
    default: 1024,
    about: 'The most blocks in one answer of eth_feeHistory; who asks for more gets this many.',
  }),
  'json-rpc.logs-cap': setting({
    kind: integer({ min: 0 }),
    default: 10_000,
    about:
      'The most logs in one answer; 0 is no limit. A search that finds more gets -32005, which names the block up to ' +
      'which it was complete; a poll of a filter gives what fits, and the next one the rest.',
  }),
  'json-rpc.logs-bytes-cap': setting({
    kind: byteSize(),
    default: 25_000_000,
    about: 'The most bytes of logs in one answer. What is past it is answered as with logs-cap.',
  }),
  'json-rpc.block-range-cap': setting({
    kind: integer({ min: 0 }),
    default: 0,
    about:
      'The most blocks that one search for logs may span; 0 is no limit, as the index makes the range cheap. A longer ' +
      'range gets -32005.',
  }),
  'json-rpc.logs-clip-to-head': setting({
    kind: boolean(),
    default: false,
    about:
      'Ends a search for logs at the head where its toBlock is above it, for indexers that race the head. Otherwise ' +
      'such a search gets -32602.',
  }),
  'json-rpc.filter-timeout': setting({
    kind: duration(),
    default: 300_000,
    about: 'How long a filter lives without a poll.',
  }),
  'json-rpc.filter-cap': setting({
    kind: integer({ min: 0 }),
    default: 200,
    about:
      'The most filters of one WebSocket or IPC connection, or of one client address over HTTP. Further ones get ' +
      '-32005.',
  }),
  'json-rpc.max-body-size': setting({
    kind: byteSize(),
    default: 5_000_000,
    about:
      'The largest request, in bytes. A larger HTTP body is answered 413, a larger message closes its socket.',
  }),
  'json-rpc.batch-request-limit': setting({
    kind: integer({ min: 1 }),
    default: 1000,
    about: 'The most calls in one batch. A longer batch is refused as a whole with -32600.',
  }),
  'json-rpc.batch-response-max-size': setting({
    kind: byteSize(),
    default: 25_000_000,
    about: 'The largest answer to one batch, in bytes. Calls past it get -32003 in place of their result.',
  }),
  'json-rpc.http-timeout': setting({
    kind: duration(),
    default: 30_000,
    about: 'The longest time for one call. A call past it gets -32002.',
  }),
  'json-rpc.http-header-timeout': setting({
    kind: duration(),
    default: 10_000,
    about:
      'The longest time for a client to send the headers of a request. The connection is closed after it.',
  }),
  'json-rpc.http-idle-timeout': setting({
    kind: duration(),
    default: 120_000,
    about: 'How long an HTTP connection stays open without a request. It is closed after that.',
  }),
  'json-rpc.http-total-backlog': setting({
    kind: byteSize(),
    default: 128_000_000,
    about:
      'The most bytes of answers that may wait for all HTTP readers together. Past it the connections that have ' +
      'waited longest are cut.',
  }),
  'json-rpc.max-open-connections': setting({
    kind: integer({ min: 1 }),
    default: 16_384,
    about: 'The most open HTTP and WebSocket connections at a time. Further ones are closed at once.',
  }),
  'json-rpc.compression': setting({
    kind: choice('auto', 'always', 'never'),
    default: 'auto',
    about:
      'Whether answers over 1 KB are compressed for clients that accept it; auto leaves out clients on this ' +
      'machine.',
  }),
  'json-rpc.ws-ping-interval': setting({
    kind: duration(),
    default: 30_000,
    about: 'How often a WebSocket is pinged. One that did not answer the last ping is closed.',
  }),
  'json-rpc.ws-max-backlog': setting({
    kind: byteSize(),
    default: 4_000_000,
    about:
      'The most bytes that may wait for one slow WebSocket reader. Past it the socket is closed with 1013. It holds ' +
      'for notifications over IPC too.',
  }),
  'json-rpc.ws-total-backlog': setting({
    kind: byteSize(),
    default: 128_000_000,
    about:
      'The most bytes that may wait for all WebSocket readers together. Past it those with the most unread are ' +
      'closed with 1013.',
  }),
  'json-rpc.subscription-cap': setting({
    kind: integer({ min: 0 }),
    default: 100,
    about: 'The most subscriptions of one WebSocket or IPC connection. Further ones get -32005.',
  }),
  'json-rpc.rate-limit': setting({
    kind: integer(),
    default: 0,
    about: 'Requests a second per client address; 0 is no limit. Requests past it are answered 429.',
  }),
  'json-rpc.rate-limit-burst': setting({
    kind: integer(),
    default: 100,
    about:
      'How many requests a client address may send at once before rate-limit holds; at least 1 with a limit.',
  }),
})

export type SettingName = keyof typeof settings

/** The effective value of every setting. */
export type Config = { readonly [K in SettingName]: ValueOf<(typeof settings)[K]['kind']> }

/** The table in its order, for code that treats all settings alike. */
// The casts: Object.keys of a frozen literal gives its keys, and each value stays beside the kind that reads and writes it.
export const settingEntries = Object.entries(settings) as unknown as readonly (readonly [
  SettingName,
  Setting<unknown>,
])[]

import {
  boolean,
  byteSize,
  choice,
  cidrs,
  duration,
  gasPrice,
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
    kind: boolean(),
    default: true,
    about:
      'The profile for development: all namespaces with the dev methods, and calls from web pages on any port ' +
      'of localhost. Turn it off on a machine that others reach.',
  }),
  'log.level': setting({
    kind: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    default: 'info',
    about: 'The least severe level that is logged to stderr.',
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
      'The most bytes that may wait for one slow WebSocket reader. Past it the socket is closed with 1013.',
  }),
  'json-rpc.ws-total-backlog': setting({
    kind: byteSize(),
    default: 128_000_000,
    about:
      'The most bytes that may wait for all WebSocket readers together. Past it sockets are closed with 1013.',
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

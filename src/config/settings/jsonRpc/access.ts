import { namespaces } from '../../gen/choiceNames.ts'
import { listenAddress } from '../../kinds/addresses.ts'
import { boolean, choice, text, unlessEmpty } from '../../kinds/basic.ts'
import { cidrs, list, namesOf } from '../../kinds/lists.ts'
import { setting } from '../setting.ts'

/** The settings of `[json-rpc]` for addresses and access. */
export const access = {
  enable: setting({
    kind: boolean(),
    default: true,
    about: 'Serves JSON-RPC over HTTP and WebSocket.',
  }),
  address: setting({
    kind: listenAddress(),
    default: { host: '127.0.0.1', port: 8545 },
    about:
      'The listen address for HTTP, where WebSocket upgrades are taken too. Port 0 picks a free port; an empty ' +
      'text turns it off.',
  }),
  'ws-address': setting({
    kind: listenAddress(),
    default: { host: '0.0.0.0', port: 8546 },
    about:
      'The listen address for WebSocket; it may equal the HTTP address. Port 0 picks a free port; an empty text ' +
      'turns it off.',
  }),
  api: setting({
    kind: namesOf(namespaces, 'namespaces such as eth,net,web3'),
    default: [],
    about:
      'The namespaces that are served over the network; the IPC socket has admin, debug, perihelion and txpool too. Empty lets the profile decide: eth, net ' +
      'and web3, or everything in the dev profile.',
  }),
  explorer: setting({
    kind: choice('auto', 'on', 'off'),
    default: 'auto',
    about:
      'Serves the explorer, a page that shows the chain, to browsers that open the HTTP address. auto ' +
      'turns it on in the dev profile. The page calls the methods that are served, and has no further ' +
      'access.',
  }),
  cors: setting({
    kind: list({
      item: /^(?:\*|[a-z][a-z0-9+.-]*:\/\/[^/]+)$/,
      wanted: 'origins such as https://app.example (no path, no slash at the end), or *',
    }),
    default: [],
    isReloadable: true,
    about:
      'The origins of web pages that may call, over HTTP and WebSocket; * means every one. Pages from elsewhere ' +
      'get no CORS headers, and their WebSocket upgrades are answered 403.',
  }),
  vhosts: setting({
    kind: list({
      item: /^(?:\*|[A-Za-z0-9._-]+)$/,
      wanted: 'host names such as rpc.example (no port), or *',
    }),
    default: [],
    isReloadable: true,
    about:
      'The host names accepted in the Host header besides localhost and IP addresses; * means every one. ' +
      'Requests for other names are answered 403.',
  }),
  'trusted-proxies': setting({
    kind: cidrs(),
    default: [],
    isReloadable: true,
    about:
      'The networks of reverse proxies whose forwarded-for header names the client. Limits per client address ' +
      'use the address of the connection for everybody else. Nobody behind such a proxy counts as local.',
  }),
  keys: setting({
    kind: unlessEmpty(text({ wanted: 'a path' })),
    default: undefined,
    isReloadable: true,
    about:
      'The file of API keys (perihelion key adds one): with it each request over HTTP or WebSocket needs a key, in the ' +
      'header X-Api-Key or as the first part of the path, or a token. Requests without one are answered 401. Empty ' +
      'turns keys off.',
  }),
  'tls-cert': setting({
    kind: unlessEmpty(text({ wanted: 'a path' })),
    default: undefined,
    isReloadable: true,
    about:
      'The certificate, with its chain, as PEM: with it and tls-key HTTPS and wss are served in place of HTTP and ws. ' +
      'SIGHUP reads the files again. Empty serves without.',
  }),
  'tls-key': setting({
    kind: unlessEmpty(text({ wanted: 'a path' })),
    default: undefined,
    isReloadable: true,
    about: 'The key of the certificate, as PEM.',
  }),
  'allow-insecure-unlock': setting({
    kind: boolean(),
    default: false,
    about:
      'Lets callers from other machines sign with unlocked accounts without a token. Anybody who reaches the ' +
      'port can then spend from those accounts.',
  }),
}

import { choice } from '../../kinds/basic.ts'
import { autoInteger, byteSize, duration, integer } from '../../kinds/numbers.ts'
import { setting } from '../setting.ts'

/** The settings of `[json-rpc]` that limit requests and connections. */
export const transport = {
  workers: setting({
    kind: autoInteger({ min: 0, max: 64 }),
    default: undefined,
    about:
      'The processes that serve HTTP and WebSocket beside the main one: they share its addresses, read the same store, and ' +
      'answer reads, calls, logs and traces by themselves. 0 has the main process serve alone. auto has none in the dev ' +
      'profile, behind a gateway and on one or two cores, otherwise one less than there are cores, at most 4. The limits for ' +
      'all clients together (memory, connections, rates) are divided among them.',
  }),
  'max-body-size': setting({
    kind: byteSize(),
    default: 5_000_000,
    about:
      'The largest request, in bytes. A larger HTTP body is answered 413, a larger message closes its socket.',
  }),
  'batch-request-limit': setting({
    kind: integer({ min: 1 }),
    default: 1000,
    about: 'The most calls in one batch. A longer batch is rejected as a whole with -32600.',
  }),
  'batch-response-max-size': setting({
    kind: byteSize(),
    default: 25_000_000,
    about: 'The largest response to one batch, in bytes. Calls past it get -32003 in place of their result.',
  }),
  'request-memory': setting({
    kind: byteSize({ min: 1_000_000 }),
    default: 256_000_000,
    isReloadable: true,
    about:
      'The most memory, in bytes, for requests and answers under way over all transports: bodies that arrive, results ' +
      'that are made, answers that wait for their readers. Past it calls get -32005, a body that is not read yet 503; ' +
      'a quarter is left for small requests.',
  }),
  'http-timeout': setting({
    kind: duration(),
    default: 30_000,
    about: 'The longest time for one call. A call past it gets -32002.',
  }),
  'min-height-wait': setting({
    kind: duration({ min: 0 }),
    default: 5_000,
    about:
      'How long a request over HTTP with the header X-Perihelion-Min-Height waits for that block; then it gets -32002. It is ' +
      'at most http-timeout.',
  }),
  'http-header-timeout': setting({
    kind: duration(),
    default: 10_000,
    about:
      'The longest time for a client to send the headers of a request. The connection is closed after it.',
  }),
  'http-idle-timeout': setting({
    kind: duration(),
    default: 120_000,
    about: 'How long an HTTP connection stays open without a request. It is closed after that.',
  }),
  'http-total-backlog': setting({
    kind: byteSize(),
    default: 128_000_000,
    about:
      'The most bytes of responses that may wait for all HTTP readers together. Past it the connections ' +
      'that have waited longest are closed.',
  }),
  'max-open-connections': setting({
    kind: integer({ min: 1 }),
    default: 16_384,
    isReloadable: true,
    about: 'The most open HTTP and WebSocket connections at a time. Further ones are closed at once.',
  }),
  compression: setting({
    kind: choice('auto', 'always', 'never'),
    default: 'auto',
    about:
      'Whether responses over 1 KB are compressed for clients that accept it; auto leaves out clients on ' +
      'this machine.',
  }),
  'ws-ping-interval': setting({
    kind: duration(),
    default: 30_000,
    about: 'How often a WebSocket is pinged. A socket that did not answer the last ping is closed.',
  }),
  'ws-max-backlog': setting({
    kind: byteSize(),
    default: 4_000_000,
    about:
      'The most bytes that may wait for one slow WebSocket reader. Past it the socket is closed with 1013. It holds ' +
      'for notifications over IPC too.',
  }),
  'ws-total-backlog': setting({
    kind: byteSize(),
    default: 128_000_000,
    about:
      'The most bytes that may wait for all WebSocket readers together. Past it those with the most unread are ' +
      'closed with 1013.',
  }),
  'subscription-cap': setting({
    kind: integer({ min: 0 }),
    default: 100,
    about: 'The most subscriptions of one WebSocket or IPC connection. Further ones get -32005.',
  }),
  'rate-limit': setting({
    kind: integer(),
    default: 0,
    isReloadable: true,
    about:
      'Requests a second per client address (per network of 64 bits with IPv6); 0 means no limit. Requests past it are ' +
      'answered 429.',
  }),
  'rate-limit-burst': setting({
    kind: integer(),
    default: 100,
    isReloadable: true,
    about:
      'How many requests a client address may send at once before rate-limit holds; at least 1 with a limit.',
  }),
}

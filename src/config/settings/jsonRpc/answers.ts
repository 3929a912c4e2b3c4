import { boolean } from '../../kinds/basic.ts'
import { byteSize, duration, integer } from '../../kinds/numbers.ts'
import { setting } from '../setting.ts'

/** The settings of `[json-rpc]` that limit responses with stored data. */
export const answers = {
  'feehistory-cap': setting({
    kind: integer({ min: 1 }),
    default: 1024,
    about: 'The most blocks in one response of eth_feeHistory; a request for more gets this many.',
  }),
  'logs-cap': setting({
    kind: integer({ min: 0 }),
    default: 10_000,
    about:
      'The most logs in one response; 0 means no limit. A search that finds more gets -32005, which names ' +
      'the block up to which it was complete; a poll of a filter returns what fits, and the next one the ' +
      'rest.',
  }),
  'logs-bytes-cap': setting({
    kind: byteSize(),
    default: 25_000_000,
    about: 'The most bytes of logs in one response. A search that finds more is answered as with logs-cap.',
  }),
  'block-range-cap': setting({
    kind: integer({ min: 0 }),
    default: 0,
    about:
      'The most blocks that one search for logs may span; 0 means no limit, as the index makes the range cheap. A longer ' +
      'range gets -32005.',
  }),
  'logs-clip-to-head': setting({
    kind: boolean(),
    default: false,
    about:
      'Ends a search for logs at the head if its toBlock is above it, for indexers that race the head. ' +
      'Otherwise such a search gets -32602.',
  }),
  'filter-timeout': setting({
    kind: duration(),
    default: 300_000,
    about: 'How long a filter lives without a poll.',
  }),
  'filter-cap': setting({
    kind: integer({ min: 0 }),
    default: 200,
    about:
      'The most filters of one WebSocket or IPC connection, or of one client address over HTTP. Further ones get ' +
      '-32005.',
  }),
  'filter-memory': setting({
    kind: byteSize({ min: 1000 }),
    default: 64_000_000,
    about:
      'The most memory, in bytes, for the criteria of all filters and subscriptions together. One client (key or ' +
      'address) may hold as much as it leaves free. Past it filters that were not polled for a minute and belong to a ' +
      'client that holds more are forgotten, and if that is not enough new ones get -32005.',
  }),
}

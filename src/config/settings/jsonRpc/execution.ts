import { boolean } from '../../kinds/basic.ts'
import { bigInteger, byteSize, coins, duration, integer } from '../../kinds/numbers.ts'
import { setting } from '../setting.ts'

/** The settings of `[json-rpc]` that limit execution. */
export const execution = {
  'gas-cap': setting({
    kind: bigInteger({ min: 21_000 }),
    default: 50_000_000n,
    about: 'The most gas that one eth_call may use; a call that requests more gets this much.',
  }),
  'allow-unprotected-txs': setting({
    kind: boolean(),
    default: false,
    about: 'Takes transactions that are signed for no chain in particular (before EIP-155).',
  }),
  'evm-timeout': setting({
    kind: duration(),
    default: 5000,
    about: 'The longest time for one eth_call. A call past it gets -32000.',
  }),
  'inline-gas': setting({
    kind: bigInteger({ min: 0 }),
    default: 500_000n,
    about:
      'The gas up to which a call is answered on the main thread. A call that uses more is run again on a call worker.',
  }),
  'call-workers': setting({
    kind: integer({ min: 1, max: 256 }),
    default: 2,
    about:
      'The threads for calls that use much gas, which run at a lower priority than the rest. They start when they are ' +
      'needed.',
  }),
  'call-queue': setting({
    kind: integer({ min: 0 }),
    default: 1000,
    about: 'The most calls that may wait for a call worker. Calls past it get -32005.',
  }),
  'queue-timeout': setting({
    kind: duration(),
    default: 10_000,
    about:
      'The longest time for a call to wait for its turn behind others of its class (reads of much state, calls, traces, ' +
      'searches for logs, sends). A call past it gets -32005. It is at most http-timeout, which ends a wait too.',
  }),
  'state-permits': setting({
    kind: integer({ min: 1 }),
    default: 64,
    about:
      'The most reads of much state (proofs, fee histories, ranges) that run at a time. Further ones wait.',
  }),
  'state-queue': setting({
    kind: integer({ min: 0 }),
    default: 1000,
    about: 'The most reads of much state that may wait. Reads past it get -32005.',
  }),
  'logs-permits': setting({
    kind: integer({ min: 1 }),
    default: 64,
    about: 'The most searches for logs that run at a time, which take turns. Further ones wait.',
  }),
  'logs-queue': setting({
    kind: integer({ min: 0 }),
    default: 1000,
    about: 'The most searches for logs that may wait. Searches past it get -32005.',
  }),
  'write-permits': setting({
    kind: integer({ min: 1 }),
    default: 8192,
    about: 'The most sends of transactions that run at a time. Further ones wait.',
  }),
  'write-queue': setting({
    kind: integer({ min: 0 }),
    default: 20_000,
    about: 'The most sends of transactions that may wait. Sends past it get -32005.',
  }),
  'call-memory': setting({
    kind: byteSize(),
    default: 128_000_000,
    about: 'The most memory, in bytes, for the heap of one call worker. A call that needs more gets -32000.',
  }),
  'txfee-cap': setting({
    kind: coins(),
    default: 10n ** 18n,
    about:
      'The most, in whole coins, that a transaction sent to this node may offer for its gas; 0 means no ' +
      'limit. A transaction that offers more gets -32000.',
  }),
  'trace-workers': setting({
    kind: integer({ min: 1, max: 256 }),
    default: 1,
    about:
      'The threads for traces, which run at a lower priority than everything else. They start when they are needed.',
  }),
  'trace-queue': setting({
    kind: integer({ min: 0 }),
    default: 100,
    about: 'The most traces that may wait for a trace worker. Traces past it get -32005.',
  }),
  'trace-timeout': setting({
    kind: duration(),
    default: 5000,
    about:
      'The longest time for the trace of one transaction, where the caller names none. A trace past it gets -32000.',
  }),
  'trace-max-size': setting({
    kind: byteSize(),
    default: 512_000_000,
    about:
      'The most text of one trace, in bytes. Up to 8 MB it is held in memory, then in a file under tmp in the home ' +
      'folder. A larger trace gets -32000.',
  }),
  'trace-spool': setting({
    kind: byteSize(),
    default: 2_000_000_000,
    about:
      'The most disk space, in bytes, of all traces above 8 MB that no client has read yet. A trace for which nothing is ' +
      'left gets -32005; so does one that would leave less than min-free-space. Serving processes divide it, and each has ' +
      'room for at least one trace of trace-max-size.',
  }),
  'trace-spool-per-client': setting({
    kind: byteSize(),
    default: 1_000_000_000,
    about:
      'The most disk space, in bytes, of the traces above 8 MB that one client has not read yet. A trace for which nothing ' +
      'is left gets -32005. Serving processes divide it, and each has room for at least one trace of trace-max-size.',
  }),
  'trace-memory': setting({
    kind: byteSize(),
    default: 256_000_000,
    about:
      'The most memory, in bytes, for the heap of one trace worker; a tracer may remember a quarter of it. A trace ' +
      'that needs more gets -32000.',
  }),
}

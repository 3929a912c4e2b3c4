import { listenAddress } from '../kinds/addresses.ts'
import { choice, unless } from '../kinds/basic.ts'
import { byteSize, duration } from '../kinds/numbers.ts'
import { setting } from './setting.ts'

/** The settings about health and metrics, above the first section of app.toml. */
export const health = {
  'metrics-address': setting({
    kind: listenAddress(),
    default: undefined,
    about:
      'Where /metrics, /health and /ready are served on a port of their own, from the moment the process starts, so that ' +
      'JSON-RPC can be closed (json-rpc.enable = false); /metrics is then there alone. Whoever reaches it can read it. ' +
      'Port 0 picks a free port; empty: they are served where JSON-RPC is.',
  }),
  'halted-after': setting({
    kind: unless(0, duration({ min: 0 })),
    default: 60_000,
    isReloadable: true,
    about:
      'How long no block may arrive before /ready is 503 (halted), on a chain that makes empty blocks; at' +
      ' least three times block-time. 0 for no limit.',
  }),
}

/** The settings of `[log]`. */
export const log = {
  level: setting({
    kind: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    default: 'info',
    isReloadable: true,
    about: 'The least severe level that is logged to stderr.',
  }),
  format: setting({
    kind: choice('auto', 'json', 'text'),
    default: 'auto',
    about:
      'The format of stderr: json is one object per line, for programs; text is for people, with a ' +
      'greeting and a line for each event. auto is text on a terminal and json elsewhere. --json is short' +
      ' for --log.format json.',
  }),
}

/** The settings of `[profiling]`. */
export const profiling = {
  'heap-sample': setting({
    kind: byteSize({ min: 0 }),
    default: 524_288,
    about:
      'How many bytes are allocated between two samples of the heap, which debug_writeMemProfile writes; 0 takes none.',
  }),
}

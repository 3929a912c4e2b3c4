import { choice } from '../kinds/basic.ts'
import { byteSize } from '../kinds/numbers.ts'
import { setting } from './setting.ts'

/** The settings of `[log]`. */
export const log = {
  level: setting({
    kind: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    default: 'info',
    about: 'The least severe level that is logged to stderr.',
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

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
  format: setting({
    kind: choice('auto', 'json', 'text'),
    default: 'auto',
    about:
      'How stderr looks: json is an object a line, for programs; text is for people, with a greeting and a line for each ' +
      'event. auto is text on a terminal and json elsewhere. --json is short for --log.format json.',
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

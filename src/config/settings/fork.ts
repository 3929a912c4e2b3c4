import { boolean, unlessEmpty } from '../kinds/basic.ts'
import { duration, integer } from '../kinds/numbers.ts'
import { headers, remoteUrl } from '../kinds/remote.ts'
import { setting } from './setting.ts'

/** The settings of a chain that is forked from a remote one. Their names are those of flags, and have no section. */
export const fork = {
  'fork-url': setting({
    kind: unlessEmpty(remoteUrl()),
    default: undefined,
    about:
      'A node (JSON-RPC over HTTP) whose chain a new dev chain is forked from. Its state is read when ' +
      'needed and kept; its blocks are below the local ones. Empty: no fork, or the one that the home was' +
      ' forked from.',
    isSecret: true,
  }),
  'fork-block': setting({
    kind: unlessEmpty(integer({ min: -Number.MAX_SAFE_INTEGER })),
    default: undefined,
    about:
      'The number of the block at which the remote chain is forked; a negative one counts back from its newest block, which is ' +
      'what empty means.',
  }),
  'fork-header': setting({
    kind: headers(),
    default: [],
    about:
      'Headers of the requests to the remote node, each as "Name: value", such as keys; the flag may be given more than ' +
      'once. They are never shown, and not kept in the home.',
    isSecret: true,
  }),
  'fork-retries': setting({
    kind: integer({ min: 0, max: 100 }),
    default: 5,
    about:
      'How often a request to the remote node that failed is repeated before the call is answered with -32002.',
  }),
  'fork-retry-backoff': setting({
    kind: duration({ min: 0 }),
    default: 1000,
    about:
      'The pause before the first repetition of such a request; each further pause is twice as long. A ' +
      'pause that the remote node requests (Retry-After) takes its place.',
  }),
  'fork-timeout': setting({
    kind: duration({ min: 1 }),
    default: 45_000,
    about: 'How long one request to the remote node may take.',
  }),
  'fork-compute-units': setting({
    kind: integer({ min: 0 }),
    default: 330,
    about:
      'The compute units a second, 17 for each request, to which requests are slowed down once the remote node limits their ' +
      'rate; 0 for no such limit.',
  }),
  'fork-cache': setting({
    kind: boolean(),
    default: true,
    about:
      'With --ephemeral: whether what was read of a remote chain is kept in ~/.perihelion/forks for the next chain that is ' +
      'forked at the same block. A home keeps it in any case.',
  }),
}

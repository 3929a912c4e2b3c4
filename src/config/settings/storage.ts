import { boolean } from '../kinds/basic.ts'
import { integer } from '../kinds/numbers.ts'
import { setting } from './setting.ts'

/** The settings of `[index]`, about data beside blocks and states. */
export const index = {
  appearances: setting({
    kind: boolean(),
    default: true,
    about:
      'Keeps the index from addresses to the transactions in which they are sender, recipient, created or the origin ' +
      'of a log. Turned on again it begins with the next block.',
  }),
  calls: setting({
    kind: boolean(),
    default: false,
    about:
      'Keeps the index from addresses to the calls, creations and destructions in which they have a part, for ' +
      'trace_filter over any range and for ots_searchTransactions*. It is filled behind the head by trace workers, from the oldest state that is kept ' +
      'on; without it trace_filter traces up to 1,000 blocks on the way. A gateway has none.',
  }),
}

/** The settings of `[snapshot]`, about the snapshots that joining nodes are offered. */
export const snapshot = {
  interval: setting({
    kind: integer({ min: 0 }),
    default: 0,
    about:
      'With CometBFT: a snapshot of the state is taken at each height that this divides, from which new nodes join ' +
      'by state sync; 0 takes none. Nodes that use the same number offer the same snapshots.',
  }),
  keep: setting({
    kind: integer({ min: 1, max: 100 }),
    default: 2,
    about: 'How many snapshots are kept, under data/snapshots. Each takes about as much room as the state.',
  }),
}

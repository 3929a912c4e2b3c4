import { InterruptedError } from '../evm/types.ts'
import type { BlockBudget } from './executeBlock.ts'

/** Returns the budget of a block whose execution ends as soon as it is not wanted any more. */
export const whileWanted = (isWanted: () => boolean): BlockBudget => ({
  limits: () => ({
    get deadline() {
      return isWanted() ? Number.POSITIVE_INFINITY : 0
    },
  }),
  check: () => {
    if (!isWanted()) throw new InterruptedError('deadline')
  },
  spend: () => {},
})

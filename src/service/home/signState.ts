import { join } from 'node:path'
import { lockHome } from '../../base/lock/homeLock.ts'
import {
  type RaisedState,
  raiseSignState,
  readSignState,
  type SignState,
  signStatePath,
} from '../../engine/cometbft/signing/signState.ts'
import { describeEngineHome } from './networkId.ts'

/** Reads what the key of a home has signed last. Throws an ExitError for a home without a key. */
export const signStateOf = (home: string): SignState => {
  describeEngineHome(home)
  return readSignState(signStatePath(join(home, 'engine')))
}

/** Raises it, while no node uses the home. */
export const raiseSignStateOf = (home: string, height: number): RaisedState => {
  describeEngineHome(home)
  const unlock = lockHome(home)
  try {
    return raiseSignState(signStatePath(join(home, 'engine')), height)
  } finally {
    unlock()
  }
}

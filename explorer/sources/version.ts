import { createStore } from '../state/store.ts'

/** Changes with every file of a compiler that is given, so that views look again. */
export const compiledVersion = createStore(0)

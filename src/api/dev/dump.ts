import { z } from 'zod'
import { leastBlockGas } from '../../chain/config/limits.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { DevControl } from '../../chain/port/dev.ts'
import type { AccountEdit } from '../../chain/state/accountEdit.ts'
import { invalidParams } from '../../rpc/errors.ts'
import { optionalParam, param } from '../../rpc/method.ts'
import { Done } from '../answers/done.ts'
import { latest } from '../answers/lookup.ts'
import { Flag } from '../wire/basic.ts'
import { Data } from '../wire/data.ts'
import { devMethod } from './devMethod.ts'
import { maxGasLimit } from './mining.ts'
import { dumpState, type LoadedState, parseDump } from './stateDump.ts'

/** The blocks that are made at most to reach the number of a loaded head. */
const maxFilled = 10_000

/** The accounts that are changed at a time. */
const editBatch = 1_000

/** The methods that move a whole state between chains, in anvil's form. */
export const devDumpMethods = [
  ...devMethod({
    names: ['anvil_dumpState', 'hardhat_dumpState'],
    summary: 'Gives the state of the head in the form of anvil: JSON, compressed.',
    work: 'state',
    belowFork: { kind: 'refused', needs: 'accounts' },
    params: [optionalParam('preserveHistory', Flag, 'Not used: the states of earlier blocks stay here.')],
    result: { name: 'state', type: Data },
    examples: [],
    handler: (_args, _dev, { chain }, { signal }) => dumpState(chain, signal),
  }),
  ...devMethod({
    names: ['anvil_loadState', 'hardhat_loadState'],
    summary:
      'Adds the accounts of a dump to the head, and goes on from its number and time; those of a chain that is kept never go back.',
    work: 'write',
    params: [param('state', Data, 'What anvil_dumpState gave, or its JSON.')],
    result: { name: 'loaded', type: Done },
    examples: [],
    handler: async ([dump], dev, { chain }, { signal }) => {
      const state = read(dump)
      await reach(dev, chain, state, signal)
      const edits = dev.isKept ? await keepNonces(chain, state.edits) : state.edits
      for (let at = 0; at < edits.length; at += editBatch) await dev.edit(edits.slice(at, at + editBatch))
    },
  }),
]

const read = (dump: Uint8Array): LoadedState => {
  try {
    return parseDump(dump)
  } catch (error) {
    if (error instanceof z.ZodError)
      throw invalidParams(
        `parameter 1 (state): not a state of anvil: ${z.prettifyError(error).slice(0, 300)}`,
      )
    throw error
  }
}

/** Makes empty blocks up to the number of the loaded head, and sets its other values for what follows. */
const reach = async (
  dev: DevControl,
  chain: Chain,
  { number, time = 0, baseFee = 0n, gasLimit = 0n, beneficiary }: LoadedState,
  signal: AbortSignal,
): Promise<void> => {
  const setNextBlock = async (): Promise<void> => {
    // A chain that is kept goes on paying whom it paid.
    if (!dev.isKept && beneficiary !== undefined) await chain.control.setCoinbase(beneficiary)
    if (baseFee > 0n) await dev.setNextBlock({ baseFee })
    if (gasLimit >= leastBlockGas && gasLimit <= maxGasLimit) await dev.setNextBlock({ gasLimit })
  }
  if (!dev.isKept && number !== undefined) await goBelow(dev, chain, number)
  const missing = (number ?? 0) - chain.head().number
  if (missing > 0 && missing <= maxFilled) {
    if (missing > 1) await fill(dev, missing - 1, signal)
    if (time >= chain.head().time) await dev.setNextBlockTime(time)
    await setNextBlock()
    return dev.mine(1, undefined, signal)
  }
  if (time > chain.head().time) await dev.setTime(time)
  await setNextBlock()
}

/** Goes back to the block before the loaded head, so that it can be made, unless the chain is not so high yet. */
const goBelow = async (dev: DevControl, chain: Chain, number: number): Promise<void> => {
  const below = Math.max(number - 1, chain.fork?.number ?? 0)
  const { number: head } = chain.head()
  if (head >= number && head > below) await dev.rollback(head - below)
}

/** Makes empty blocks of the head's time: those that they stand for are in the past. */
const fill = async (dev: DevControl, count: number, signal: AbortSignal): Promise<void> => {
  const interval = dev.timestampInterval()
  await dev.setTimestampInterval(0)
  try {
    await dev.mine(count, undefined, signal)
  } finally {
    await dev.setTimestampInterval(interval)
  }
}

/** A nonce that the chain has a transaction with cannot be set back; such an account keeps its own. */
const keepNonces = async (chain: Chain, edits: readonly AccountEdit[]): Promise<readonly AccountEdit[]> => {
  const state = await chain.state(latest)
  return Promise.all(
    edits.map(async (edit) => {
      const before = await state.nonce(edit.address)
      return edit.nonce !== undefined && edit.nonce < before ? { ...edit, nonce: undefined } : edit
    }),
  )
}

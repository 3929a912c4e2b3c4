import type { SampleChain } from './sampleChain.ts'

/** A view: its name, its link, and a text that it shows. */
export type View = readonly [string, (sample: SampleChain) => string, string | RegExp]

/** The views of every chain. */
export const views: readonly View[] = [
  ['overview', () => '', 'Block time'],
  ['blocks', () => '#/blocks', 'Gas used'],
  ['block', () => '#/block/7', 'Transactions ('],
  ['block that is to come', () => '#/block/100000', 'no such block'],
  ['transaction', ({ transfer }) => `#/tx/${transfer}`, '12.5 GOLD'],
  ['events', ({ note }) => `#/tx/${note}?tab=events`, 'topic 0'],
  ['calls', ({ deepFailure }) => `#/tx/${deepFailure}?tab=calls`, '5 calls, 5 deep'],
  ['state changes', ({ transfer }) => `#/tx/${transfer}?tab=state`, 'Balance'],
  ['raw forms', ({ transfer }) => `#/tx/${transfer}?tab=raw`, 'cumulativeGasUsed'],
  ['reason of a failure', ({ deepFailure }) => `#/tx/${deepFailure}`, 'ERC20InsufficientBalance'],
  ['account', ({ alice }) => `#/address/${alice}`, 'create'],
  ['tokens', ({ bob }) => `#/address/${bob}?tab=tokens`, 'Gold'],
  ['contract', ({ gold }) => `#/address/${gold}?tab=contract`, "Drop the contract's ABI"],
  ['code', ({ gold }) => `#/address/${gold}?tab=code`, '0x60'],
  ['storage', ({ gold }) => `#/address/${gold}?tab=storage`, 'Slot'],
  ['logs', () => '#/logs?from=0&to=latest&t0=Transfer', 'the newest first'],
  ['pool', () => '#/pool', 'No transaction waits'],
  ['console', () => '#/console/eth_getLogs', 'Gives the logs'],
  ['debugger', ({ deepFailure }) => `#/debug/${deepFailure}`, 'PUSH1'],
  ['nothing', () => '#/__proto__', 'no such view'],
]

/** Those that are different on a chain for development. */
export const devViews: readonly View[] = [
  ['validators', () => '#/validators', 'no validators'],
  ['dev tools', () => '#/dev', 'Faucet'],
]

/** Those of a chain of CometBFT, with its native side. */
export const nativeViews: readonly View[] = [
  ['validators', () => '#/validators', '4 validators decide'],
  ['native transaction', ({ transfer }) => `#/tx/${transfer}?tab=native`, 'ethereum_tx'],
  ['native address', ({ alice }) => `#/address/${alice}`, 'Native address'],
  ['native block', () => '#/block/7?tab=native', 'Results'],
]

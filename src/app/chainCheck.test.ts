import { describe, expect, test } from 'vitest'
import { blockForks } from '../../test/support/forks.ts'
import { toHex } from '../base/encoding/hex.ts'
import { systemContracts } from '../chain/config/systemContracts.ts'
import { parseGenesis } from '../chain/genesis/genesis.ts'
import { createEvm } from '../evm/evm.ts'
import { loadEvmModules } from '../evm/host/evmModules.ts'
import { precompilesAt } from '../evm/precompiles/precompileTable.ts'
import { InMemoryState } from '../evm/stateTest/inMemoryState.ts'
import { checkNewChain, findForkWarnings } from './chainCheck.ts'

const evm = createEvm(await loadEvmModules(), precompilesAt)
const now = 1_800_000_000
const later = now + 86_400

const { beaconRoots, historyStorage, withdrawalRequests, consolidationRequests } = systemContracts
const allContracts = [beaconRoots, historyStorage, withdrawalRequests, consolidationRequests]

const allocOf = (contracts: readonly { readonly address: Uint8Array; readonly code: Uint8Array }[]) =>
  Object.fromEntries(
    contracts.map(({ address, code }) => [
      toHex(address),
      { balance: '0x0', nonce: '0x1', code: toHex(code) },
    ]),
  )

interface Given {
  readonly config?: object
  readonly contracts?: readonly { readonly address: Uint8Array; readonly code: Uint8Array }[]
  readonly header?: object
}

const prague = { shanghaiTime: 0, cancunTime: 0, pragueTime: 0 }

const genesisOf = ({ config = prague, contracts = allContracts, header = {} }: Given) =>
  parseGenesis(
    JSON.stringify({
      config: { chainId: 7, ...blockForks, terminalTotalDifficulty: 0, ...config },
      gasLimit: '0x1c9c380',
      alloc: allocOf(contracts),
      ...header,
    }),
  )

const findingsOf = (given: Given) => checkNewChain(genesisOf(given), evm, BigInt(now))

/** Returns the warnings for a living chain whose head is its genesis. */
const aheadOf = (given: Given) => {
  const genesis = genesisOf(given)
  const state = new InMemoryState([])
  state.apply(genesis.changes)
  return findForkWarnings({ evm, config: genesis.config, state, head: genesis.header(new Uint8Array(32)) })
}

describe('a genesis that an engine is to begin a chain with', () => {
  test('is fine with all contracts, and with those that its forks need', () => {
    expect(findingsOf({})).toEqual({ problems: [], warnings: [] })
    expect(findingsOf({ config: { ...prague, osakaTime: 0 } })).toEqual({ problems: [], warnings: [] })
    expect(findingsOf({ config: { shanghaiTime: 0 }, contracts: [] })).toEqual({ problems: [], warnings: [] })
    expect(findingsOf({ config: {}, contracts: [] })).toEqual({ problems: [], warnings: [] })
  })

  test('is warned of where its time is ahead', () => {
    expect(findingsOf({ header: { timestamp: now + 30 } }).warnings).toEqual([])
    expect(findingsOf({ header: { timestamp: now + 7_200 } })).toEqual({
      problems: [],
      warnings: [expect.stringContaining('7200 seconds ahead of the clock of this computer')],
    })
  })

  test.each([
    ['EIP-7002', withdrawalRequests],
    ['EIP-7251', consolidationRequests],
  ])('cannot work without the contract of %s, and is told what to add', (eip, missing) => {
    const contracts = allContracts.filter((contract) => contract !== missing)
    const { problems } = findingsOf({ contracts })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(`pragueTime is 0, but the contract of ${eip} is missing; add to alloc: `)
    // What is to be added makes it work.
    const added = JSON.parse(`{${problems[0]?.split('add to alloc: ')[1]}}`)
    expect(added).toEqual(allocOf([missing]))
    // Before the fork it can still be deployed.
    const scheduled = findingsOf({ contracts, config: { ...prague, pragueTime: later } })
    expect(scheduled.problems).toEqual([])
    expect(scheduled.warnings[0]).toContain(`the contract of ${eip} is missing; deploy it before`)
    // A time that has passed is not a time ahead, whatever the time of the first block.
    expect(findingsOf({ contracts, config: { ...prague, pragueTime: now - 1 } }).problems).toHaveLength(1)
  })

  test('works without the contracts whose calls then do nothing, but not as it is meant', () => {
    const { problems, warnings } = findingsOf({ contracts: [withdrawalRequests, consolidationRequests] })
    expect(problems).toEqual([])
    expect(warnings.map((text) => /EIP-\d+/.exec(text)?.[0])).toEqual(['EIP-4788', 'EIP-2935'])
  })

  test('cannot work with a contract that fails', () => {
    const failing = { address: withdrawalRequests.address, code: Uint8Array.of(0xfe) }
    const contracts = allContracts.map((contract) => (contract === withdrawalRequests ? failing : contract))
    expect(findingsOf({ contracts }).problems[0]).toMatch(
      /^no block can be made with .*: the contract of EIP-7002 failed/,
    )
    const scheduled = findingsOf({ contracts, config: { ...prague, pragueTime: later } })
    expect([scheduled.problems.length, scheduled.warnings.length]).toEqual([0, 1])
  })

  test('is tried with empty blocks although there is something to warn of', () => {
    const failing = { address: withdrawalRequests.address, code: Uint8Array.of(0xfe) }
    const contracts = [beaconRoots, failing, consolidationRequests]
    const { problems, warnings } = findingsOf({ contracts })
    expect(problems).toEqual([expect.stringMatching(/^no block can be made with .*EIP-7002 failed/)])
    expect(warnings).toEqual([expect.stringContaining('the contract of EIP-2935 is missing')])
    const config = { ...prague, pragueTime: later }
    const expected = ['the contract of EIP-2935 is missing', 'EIP-7002 failed']
    const scheduled = findingsOf({ contracts, config })
    expect(scheduled.problems).toEqual([])
    expect(scheduled.warnings).toEqual(expected.map((text) => expect.stringContaining(text)))
    expect(aheadOf({ contracts, config })).toEqual(expected.map((text) => expect.stringContaining(text)))
  })

  test('is not told twice of a contract that a later fork needs', () => {
    const contracts = [beaconRoots, historyStorage, consolidationRequests]
    const config = { ...prague, pragueTime: later }
    expect(findingsOf({ contracts, config }).warnings).toHaveLength(1)
    expect(aheadOf({ contracts, config })).toHaveLength(1)
  })

  test.each([
    [{ gasLimit: '0x5207' }, 'gasLimit is 20999, and no transaction needs less than 21000: raise it'],
    [
      { gasLimit: '0xffffffffffffffff' },
      `gasLimit is ${2n ** 64n - 1n}: at most ${2n ** 63n - 1n} is possible`,
    ],
    [
      { gasLimit: '0x3b9aca01' },
      'gasLimit is 1000000001: at most 1000000000 is possible with the rules of prague; lower it',
    ],
    [
      { timestamp: '1800000000000' },
      'timestamp is 1800000000000, after the year 9999: give seconds, not milliseconds',
    ],
  ])('cannot work with %j', (header, problem) => {
    expect(findingsOf({ header }).problems).toEqual([problem])
  })

  test('cannot work with an invalid deposit contract', () => {
    const at = (depositContractAddress: string) =>
      findingsOf({ config: { ...prague, depositContractAddress } })
    expect(at(toHex(withdrawalRequests.address)).problems[0]).toMatch(/which is a system contract/)
    expect(at('0x0000000000000000000000000000000000000001').problems[0]).toMatch(/which is a precompile/)
    expect(at(`0x${'00'.repeat(20)}`)).toEqual({ problems: [], warnings: [] })
    const { problems, warnings } = at('0x00000000219ab540356cbb839cbe05303d7705fa')
    expect(problems).toEqual([])
    expect(warnings).toEqual([expect.stringContaining('no deposit can be made')])
  })
})

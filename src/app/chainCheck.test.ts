import { describe, expect, test } from 'vitest'
import { blockForks } from '../../test/support/forks.ts'
import { toHex } from '../base/encoding/hex.ts'
import { parseGenesis } from '../chain/genesis/genesis.ts'
import { systemContracts } from '../chain/genesis/systemContracts.ts'
import { createEvm } from '../evm/evm.ts'
import { loadEvmModules } from '../evm/modules.ts'
import { precompilesAt } from '../evm/precompiles/table.ts'
import { checkNewChain } from './chainCheck.ts'

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

const findingsOf = ({ config = prague, contracts = allContracts, header = {} }: Given) =>
  checkNewChain(
    parseGenesis(
      JSON.stringify({
        config: { chainId: 7, ...blockForks, terminalTotalDifficulty: 0, ...config },
        gasLimit: '0x1c9c380',
        alloc: allocOf(contracts),
        ...header,
      }),
    ),
    evm,
    BigInt(now),
  )

describe('a genesis that an engine is to begin a chain with', () => {
  test('is fine with all contracts, and with those that its forks need', () => {
    expect(findingsOf({})).toEqual({ problems: [], warnings: [] })
    expect(findingsOf({ config: { ...prague, osakaTime: 0 } })).toEqual({ problems: [], warnings: [] })
    expect(findingsOf({ config: { shanghaiTime: 0 }, contracts: [] })).toEqual({ problems: [], warnings: [] })
    expect(findingsOf({ config: {}, contracts: [] })).toEqual({ problems: [], warnings: [] })
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
    // A time that has passed is no time ahead, whatever the time of the first block.
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

  test.each([
    [{ gasLimit: '0x5207' }, 'gasLimit is 20999, and no transaction needs less than 21000: raise it'],
    [
      { gasLimit: '0xffffffffffffffff' },
      `gasLimit is ${2n ** 64n - 1n}: at most ${2n ** 63n - 1n} is possible`,
    ],
    [
      { timestamp: '1800000000000' },
      'timestamp is 1800000000000, after the year 9999: give seconds, not milliseconds',
    ],
  ])('cannot work with %j', (header, problem) => {
    expect(findingsOf({ header }).problems).toEqual([problem])
  })

  test('cannot work with a deposit contract that is none', () => {
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

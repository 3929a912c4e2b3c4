/** A transaction to a contract of `contracts/` that fails. */
export interface FailingCase {
  readonly contract: string
  /** The signature of the function; undefined for the creation of the contract, '' for a call without data. */
  readonly call?: string
  readonly args?: readonly unknown[]
  /** The data in place of a call's arguments, or behind the code of a creation. */
  readonly data?: string
  readonly value?: bigint
  readonly gas?: bigint
}

const inside = (call: string, ...args: readonly unknown[]): FailingCase => ({
  contract: 'Inside',
  call,
  args,
})
const outside = (call: string, ...args: readonly unknown[]): FailingCase => ({
  contract: 'Outside',
  call,
  args,
})

const word = (value: number): string => value.toString(16).padStart(64, '0')

/** By name; each is compiled in every way of `settings`. */
export const failingCases: Readonly<Record<string, FailingCase>> = {
  'require with text': inside('requireText(uint256)', 1n),
  'require without text': inside('requireNothing(uint256)', 1n),
  'require of several lines': inside('requireLines(uint256)', 1n),
  'revert without text': inside('revertNothing()'),
  'revert with text': inside('revertText()'),
  'a custom error': inside('revertError()'),
  'a custom error with arguments': inside('revertArguments(uint256)', 7n),
  assert: inside('assertion(uint256)', 1n),
  'an addition': inside('add(uint256)', 1n),
  'a subtraction of a mapping': inside('subtract(uint256)', 1n),
  'a multiplication': inside('multiply(uint256)', 3n),
  'a power': inside('power(uint256)', 3n),
  'an increment': inside('increment()'),
  'an index of the divisor': inside('divide(uint256)', 3n),
  'a division by zero': inside('divideByZero(uint256)', 3n),
  'a remainder by zero': inside('modulo(uint256)', 3n),
  'a negation': inside('negate(int256)', -(2n ** 255n)),
  'an index of a list in memory': inside('bounds(uint256)', 2n),
  'an index of a list in storage': inside('storageBounds(uint256)', 9n),
  'an index of a list of the call': inside('calldataBounds(uint256[])', [1n]),
  'an index of bytes': inside('bytesBounds(uint256)', 9n),
  'pop of an empty list': inside('popEmpty()'),
  'a value of an enum': inside('enumeration(uint256)', 2n),
  'a list too large for memory': inside('memoryTooLarge(uint256)', 2n ** 70n),
  'a function variable without value': inside('uninitialized(uint256)', 1n),
  'through a function variable': inside('throughPointer(uint256)', 1n),
  'three functions deep': inside('nested(uint256)', 1n),
  'a function that may be inlined': inside('inlined(uint256)', 0n),
  recursion: inside('recursive(uint256)', 3n),
  'a modifier': inside('guarded()'),
  'the second modifier': inside('guardedTwice(uint256)', 1n),
  'a function of a modifier': inside('guardedByFunction(uint256)', 10n),
  'a modifier after the function': inside('guardedAfter(uint256)', 10n),
  'inside of a modifier': inside('insideGuard(uint256)', 1n),
  'a function of the base by super': inside('inherited(uint256)', 1n),
  'an inherited function': inside('overridden()'),
  'an inherited internal function': inside('callsInherited(uint256)', 11n),
  'a free function': inside('free(uint256)', 3n),
  'an internal function of a library': inside('inLibrary(uint256)', 300n),
  'after a loop with calls': inside('afterLoop(uint256)', 9n),
  'in a loop': inside('inLoop(uint256)', 9n),
  'a branch of a condition': inside('ternary(uint256)', 7n),
  'revert in assembly': inside('assemblyRevert()'),
  'invalid in assembly': inside('assemblyInvalid()'),
  'an endless loop': { ...inside('endless()'), gas: 300_000n },
  'the second operand': inside('logic(uint256)', 5n),
  'the last branch': inside('manyBranches(uint256)', 4n),
  'the second branch': inside('manyBranches(uint256)', 2n),
  'a function that does not exist': inside('absent()'),
  'no data': inside(''),
  'a selector that is cut off': { contract: 'Inside', call: '', data: '0x1234' },
  'value for a function that takes none': { ...inside('revertText()'), value: 1n },

  'a called contract': outside('calls(uint256)', 1n),
  'a called contract behind a proxy': outside('callsThroughProxy(uint256)', 1n),
  'a called contract without reason': outside('callsWithoutReason()'),
  'a panic of a called contract': outside('callsPanic(uint256)', 1n),
  'a contract called from inside': outside('callsFromInside(uint256)', 1n),
  'a require after a failed call': outside('ownAfterCall(uint256)', 1n),
  'a revert after a caught failure': outside('ownAfterCatch(uint256)', 1n),
  'a require after a call': outside('ownAfterSuccess(uint256)', 1n),
  'a failure handed on in assembly': outside('bubbles(uint256)', 1n),
  'a call of no contract': outside('nobody()'),
  'a call that is reverted by a fallback': outside('lessData()'),
  'a call with less data than expected': outside('noData()'),
  'a call of a function that is not there': outside('noSelector()'),
  'a call of itself': outside('viaThis(uint256)', 1n),
  'a delegated call': outside('delegates(uint256)', 1n),
  'a linked library': outside('inLinked(uint256)', 1n),
  'a linked library that writes': outside('changesInLinked(uint256)', 9n),
  'a creation inside': outside('creates(uint256)', 1n),
  'a creation inside with salt': outside('createsWithSalt(uint256)', 1n),
  'a transfer to what takes none': outside('transfersToShy()'),
  'a transfer to what reverts': outside('transfersToLoud()'),
  'a require after send': outside('sendsToShy()'),
  'a transfer of too much': outside('sendsTooMuch()'),
  'out of gas in a called contract': outside('callBurns()'),
  'a bool out of range': { contract: 'Outside', call: 'wrongBool(bool)', data: `0x${word(2)}` },
  'arguments too short': { contract: 'Outside', call: 'notPayable(uint256)', data: '0x1234' },
  'a list out of range': { contract: 'Outside', call: 'takesList(uint256[])', data: `0x${word(4096)}` },
  'a text out of range': {
    contract: 'Outside',
    call: 'takesText(string)',
    data: `0x${word(32)}${word(4096)}`,
  },
  'value for a function with arguments': { ...outside('notPayable(uint256)', 1n), value: 5n },
  'arguments too short for what takes value': {
    ...{ contract: 'Outside', call: 'isPayable(uint256)', data: '0x' },
    value: 5n,
  },
  'decoding of bytes': outside('decodes(bytes)', '0x12'),

  'a creation': { contract: 'Fails', data: word(1) },
  'a creation with value': { contract: 'Fails', data: word(9), value: 1n },
  'a creation without arguments': { contract: 'Fails' },
  'a creation of a base': { contract: 'FailsInBase', data: word(1) },
  'an initial value': { contract: 'FailsInInitializer' },
  'a function of a creation': { contract: 'FailsInFunction' },
  'a receive function': { contract: 'Loud', call: '', value: 1n },
  'a fallback function': { contract: 'Loud', call: 'absent()' },
  'value for a fallback function': { contract: 'Loud', call: 'absent()', value: 1n },
  'value for a contract that takes none': { contract: 'Shy', call: '', value: 1n },
}

/** How the contracts are compiled. */
export const settings = {
  plain: { optimizer: { enabled: false } },
  optimized: { optimizer: { enabled: true, runs: 200 } },
  'through Yul': { optimizer: { enabled: false }, viaIR: true },
  'through Yul, optimized': { optimizer: { enabled: true, runs: 200 }, viaIR: true },
} as const

export type SettingsName = keyof typeof settings

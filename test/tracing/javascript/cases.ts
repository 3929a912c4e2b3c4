/** Calls that scripts look at: contracts put in place by overrides, in a block that is the same everywhere. */

const address = (digit: string): string => `0x${digit.repeat(40)}`
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((digit) => address(digit).slice(2)) as [
  string,
  string,
  string,
  string,
]

const word = (hex: string): string => `0x${hex.padStart(64, '0')}`

/** Calls `to` with what is given of gas; the input is the first word of memory. */
const call = (to: string, value = '5f'): string => `5f5f60205f${value}73${to}5af1`
const delegate = (to: string): string => `5f5f60205f73${to}5af4`
const staticCall = (to: string): string => `60205f60205f73${to}5afa`

const contracts = {
  [`0x${a}`]: {
    balance: '0x64',
    // A word in memory; then a call with value, a delegate call, a static call that writes, a precompile.
    code: `0x6101235f52${call(b, '6005')}50${delegate(c)}50${staticCall(c)}50${staticCall('0000000000000000000000000000000000000002')}505f545f5260205ff3`,
    stateDiff: { [word('0')]: word('2a') },
  },
  // Writes, logs, and reverts with a word.
  [`0x${b}`]: { code: '0x6001600155600260015560015f5fa160aa5f5260205ffd' },
  // Writes a slot and ends.
  [`0x${c}`]: { code: '0x600760035500' },
  // Creates, creates again with salt, then destroys itself.
  [`0x${d}`]: {
    balance: '0x9',
    code: `0x69600a600c5f39600a5ff35f52600a60165ff0506000600a60165ff55073${b}ff`,
  },
  [address('1')]: { code: '0x5b6001565b' },
  [address('2')]: { code: '0x60003456fe' },
  // Counts down from 20.
  [address('3')]: { code: '0x60145b6001900380600257' },
  // Clears a slot: a refund.
  [address('4')]: { code: '0x5f5f555f545000', stateDiff: { [word('0')]: word('1') } },
  // Calls itself until the gas ends.
  [address('5')]: { code: '0x5f5f5f5f5f305a60409004f1505b5a505a50600a56' },
}

const from = '0x00000000000000000000000000000000c0ffee00'

export const calls: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  nested: { from, to: `0x${a}`, gas: '0x40000', value: '0x3', data: '0x01020304' },
  creating: { from, to: `0x${d}`, gas: '0x60000' },
  outOfGas: { from, to: address('1'), gas: '0x6000' },
  badJump: { from, to: address('2'), gas: '0x6000', value: '0x1' },
  loop: { from, to: address('3'), gas: '0x8000' },
  refund: { from, to: address('4'), gas: '0x10000' },
  deep: { from, to: address('5'), gas: '0x10000' },
  transfer: { from, to: address('9'), gas: '0x5208', value: '0x1' },
  creation: { from, gas: '0x20000', data: '0x60016000556005600c5f3960055ff3' },
  emptyCreation: { from, gas: '0x20000', data: '0xfe' },
}

/** What stands beside the script in the third parameter of `debug_traceCall`. */
export const surroundings = {
  stateOverrides: { ...contracts, [from]: { balance: '0xde0b6b3a7640000', nonce: '0x7' } },
  blockOverrides: {
    number: '0x10',
    time: '0x70000000',
    feeRecipient: '0x00000000000000000000000000000000000000cb',
    baseFeePerGas: '0x7',
    gasLimit: '0x1c9c380',
  },
  tracerConfig: { depth: 3, name: 'x' },
}

/** Scripts that look at instructions are run on every call, the others on one. */
export const casesOf = (scripts: Readonly<Record<string, string>>) =>
  Object.entries(scripts).flatMap(([script, text]) => {
    const isEverywhere = /step:|enter:|ctx/.test(text)
    return Object.keys(calls)
      .filter((name) => isEverywhere || name === 'loop')
      .map((name) => ({ name: `${script} of ${name}`, script, call: name }))
  })

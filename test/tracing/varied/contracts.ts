import { toHex } from '../../../src/base/encoding/hex.ts'
import type { GenesisAccount } from '../../geth/genesis.ts'
import { addresses, contractAccounts, initCodes, leaves } from '../../geth/traces/contracts.ts'
import { assemble } from '../../support/evm/assemble.ts'

/** Contracts beside those of the recorded chain: what takes more than one instruction to go wrong. */

/** Init code that returns `CALLER SELFDESTRUCT`, in the 10 bytes at 22 of memory. */
const storeDestroyer = '#696133ff5f526002601ef3 0 MSTORE'
/** Calls the address on top of the stack with a value, and drops the outcome. */
const callTop = (value: string): string => `0 0 0 0 ${value} DUP6 GAS CALL POP`

const makeAndDestroy = `${storeDestroyer} 10 22 CALLVALUE CREATE ${callTop('0')} DUP1 EXTCODESIZE POP DUP1 BALANCE POP`

const more: Readonly<Record<string, string>> = {
  /** Stores pairs of slot and value from its input. */
  storesInput: assemble(`
    0 JUMPDEST DUP1 CALLDATASIZE GT ISZERO #6017 JUMPI DUP1 32 ADD CALLDATALOAD DUP2 CALLDATALOAD SSTORE 64 ADD 1 JUMP
    JUMPDEST STOP`),
  /** Calls the addresses of its input one after the other, each with some gas. */
  callsInput: assemble(`
    0 JUMPDEST DUP1 CALLDATASIZE GT ISZERO #601b JUMPI 0 0 0 0 0 DUP6 CALLDATALOAD 60000 CALL POP 32 ADD 1 JUMP
    JUMPDEST STOP`),
  makesAndDestroys: assemble(`${makeAndDestroy} STOP`),
  paysTheDestroyed: assemble(`${makeAndDestroy} ${callTop('1')} STOP`),
  makesDestroysAndReverts: assemble(`${makeAndDestroy} 0 0 REVERT`),
  /** Creates with a salt, the first word of its input, and the rest as init code. */
  createsSalted: assemble(`
    32 CALLDATASIZE SUB DUP1 32 0 CALLDATACOPY 0 CALLDATALOAD SWAP1 0 CALLVALUE CREATE2 DUP1 1 SSTORE
    ${callTop('0')} STOP`),
  recursesByDelegation: assemble('0 0 CALLDATASIZE 0 ADDRESS GAS DELEGATECALL STOP'),
  recursesByStaticCall: assemble('0 0 CALLDATASIZE 0 ADDRESS GAS STATICCALL STOP'),
  recursesAndReverts: assemble('0 0 CALLDATASIZE 0 0 ADDRESS GAS CALL 0 0 REVERT'),
  storesAndReverts: assemble('5 5 SSTORE 8 1 SSTORE 0 0 REVERT'),
  storesAndFails: assemble('5 5 SSTORE 8 1 SSTORE INVALID'),
  storesBack: assemble('1 5 SSTORE 7 5 SSTORE STOP'),
  clearsForRefund: assemble('0 5 SSTORE 0 6 SSTORE STOP'),
  paysItself: assemble(
    '0 0 0 0 1 ADDRESS GAS CALL 0 0 0 0 1 COINBASE GAS CALL 0 0 0 0 1 ORIGIN GAS CALL STOP',
  ),
  paysTheNew: assemble('0 0 0 0 1 TIMESTAMP GAS CALL 0 0 0 0 0 NUMBER GAS CALL STOP'),
  transientThenCalls: assemble('7 1 TSTORE 0 0 0 0 0 CALLER GAS CALL 1 TLOAD 2 SSTORE STOP'),
  logsThenFails: assemble('1 2 3 32 0 LOG3 9 9 9 9 32 0 LOG4 0 0xffffff MSTORE INVALID'),
  returnsMuch: assemble('4000 0 RETURN'),
}

const address = (index: number): string => `0x${(0x3000 + index).toString(16).padStart(40, '0')}`

/** Where a chain has its contracts. */
export interface Places {
  /** By name: everything that transactions are sent to or through. */
  readonly contracts: Readonly<Record<string, string>>
  readonly forwarders: readonly string[]
  readonly strictForwarders: readonly string[]
  /** Programs of random instructions. */
  readonly programs: readonly string[]
}

/** The addresses at which a genesis has random programs; programs call each other there. */
export const programAddresses: readonly Uint8Array[] = Array.from({ length: 40 }, (_, index) =>
  new Uint8Array(20).fill(0xa0 + index),
)

export const placesOfGenesis: Places = {
  contracts: {
    ...Object.fromEntries(
      Object.keys(leaves).map((name, index) => [name, addresses.leaves[index] as string]),
    ),
    ...Object.fromEntries(Object.keys(more).map((name, index) => [name, address(index)])),
  },
  forwarders: addresses.forwarders,
  strictForwarders: addresses.strictForwarders,
  programs: programAddresses.map(toHex),
}

/** Those that call themselves until their gas is gone. */
export const recursing: readonly string[] = [
  'recurses',
  ...Object.keys(more).filter((name) => name.startsWith('recurses')),
]
/** Those that run until their gas is gone. */
export const endless: readonly string[] = ['loops', 'overflow', ...recursing]

export const creations: readonly string[] = [
  ...initCodes,
  // Creates itself again, until the gas is gone.
  assemble('CODESIZE 0 0 CODECOPY CODESIZE 0 0 CREATE STOP'),
  assemble('CODESIZE 0 0 CODECOPY 1 CODESIZE 0 0 CREATE2 POP 0 0 REVERT'),
  // Stores, clears, logs, and leaves code that destroys itself.
  assemble('1 1 SSTORE 2 2 SSTORE 0 1 SSTORE 0 0 LOG0 #6133ff 0 MSTORE 2 30 RETURN'),
  // Calls back its creator, and destroys itself in favour of nobody.
  assemble('0 0 0 0 0 CALLER GAS CALL POP 0xdead09 SELFDESTRUCT'),
]

export const contractsOfGenesis = (): Record<string, GenesisAccount> => ({
  ...contractAccounts(),
  ...Object.fromEntries(
    Object.values(more).map((code, index) => [
      address(index),
      { balance: '0x2710', nonce: '0x1', code, storage: { '0x05': '0x07', '0x06': '0x09' } },
    ]),
  ),
})

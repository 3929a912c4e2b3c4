/** Mistakes that an EVM can make, each planted by one change of our source: the fuzzer has to notice every one. */
export interface Defect {
  readonly name: string
  /** Below src/evm. */
  readonly file: string
  /** Stands exactly once in the file. */
  readonly right: string
  readonly wrong: string
}

export const defects: readonly Defect[] = [
  {
    name: 'SSTORE costs one gas too much',
    file: 'assembly/gas.ts',
    right: 'reset = 2900',
    wrong: 'reset = 2901',
  },
  {
    name: 'no refund for a cleared slot',
    file: 'assembly/gas.ts',
    right: 'if (isZero(value)) addRefund(cleared)\n    return cost + reset',
    wrong: 'return cost + reset',
  },
  {
    name: 'a refund is not taken back',
    file: 'assembly/gas.ts',
    right: 'if (isZero(current)) addRefund(-cleared)',
    wrong: 'if (isZero(current)) addRefund(0)',
  },
  {
    name: 'SSTORE runs on a stipend',
    file: 'assembly/gas.ts',
    right: 'if (left <= 2300) return ENDLESS',
    wrong: 'if (left <= 2200) return ENDLESS',
  },
  {
    name: 'memory grows too cheaply',
    file: 'assembly/gas.ts',
    right: '(words * words) / 512',
    wrong: '(words * words) / 513',
  },
  {
    name: 'an empty account counts as there',
    file: 'assembly/frames/call.ts',
    right: 'if (transfers && isEmpty(target)) cost += 25000',
    wrong: 'if (transfers && !exists(target)) cost += 25000',
  },
  {
    name: 'a call keeps one gas too much back',
    file: 'assembly/frames/call.ts',
    right: 'given = min(given, free - (free >> 6))',
    wrong: 'given = min(given, free - (free >> 6) - 1)',
  },
  {
    name: 'the stipend is one gas too much',
    file: 'assembly/frames/call.ts',
    right: 'given += 2300',
    wrong: 'given += 2301',
  },
  {
    name: 'the account behind a delegation is always warm',
    file: 'assembly/frames/call.ts',
    right: 'warmAccount(account(TARGET)) ? 2600 : 100',
    wrong: 'warmAccount(account(TARGET)) ? 100 : 100',
  },
  {
    name: 'a created account stays cold',
    file: 'assembly/frames/create.ts',
    right: 'if (fork >= BERLIN) warmAccount(created)',
    wrong: '',
  },
  {
    name: 'a creation leaves return data',
    file: 'assembly/frames/end.ts',
    right: 'if (creating && status == OK && !top) returnSize = 0',
    wrong: '',
  },
  {
    name: 'logs of a reverted call stay',
    file: 'assembly/frames/end.ts',
    right: 'setLogs(<usize>load<u32>(frame, F_LOGS), load<u32>(frame, F_LOGCOUNT))',
    wrong: '',
  },
  {
    name: 'the refund of a reverted call stays',
    file: 'assembly/frames/end.ts',
    right: 'setRefund(load<i64>(frame, F_REFUND))',
    wrong: '',
  },
  {
    name: 'a call below a static one may write',
    file: 'assembly/frames/call.ts',
    right: '(flags & STATIC) | (kind == O.STATICCALL ? STATIC : 0)',
    wrong: 'kind == O.STATICCALL ? STATIC : 0',
  },
  {
    name: 'code may begin with 0xef',
    file: 'assembly/frames/end.ts',
    right: 'if (fork >= LONDON && size > 0 && load<u8>(out) == 0xef) return CODE_EF',
    wrong: '',
  },
  {
    name: 'SELFDESTRUCT deletes old contracts',
    file: 'assembly/run/effects.ts',
    right: 'const goes = fork < CANCUN || isCreated(self)',
    wrong: 'const goes = true',
  },
  {
    name: 'transient storage survives a revert',
    file: 'assembly/state/transient.ts',
    right: 'journal(J_TRANSIENT, p, p + T_VALUE, 32)',
    wrong: '',
  },
  {
    name: 'BYTE reaches one byte too far',
    file: 'assembly/run/loop.ts',
    right: 'index > 31) set(sp - 64, 0)',
    wrong: 'index > 30) set(sp - 64, 0)',
  },
  {
    name: 'BALANCE is one gas too cheap when cold',
    file: 'assembly/run.ts',
    right: `const p = account(sp - 32)
        const cost: i64 = fork >= BERLIN && isCold(p) ? 2500 : 0
        gas = charge(gas, cost)
        if (gas < 0 || interrupted != 0) {
          status = OUT_OF_GAS
          break
        }
        if (cost != 0) warmAccount(p)
        if (TRACED) {
          announce(cost, sp)
          noteRead(1`,
    wrong: `const p = account(sp - 32)
        const cost: i64 = fork >= BERLIN && isCold(p) ? 2499 : 0
        gas = charge(gas, cost)
        if (gas < 0 || interrupted != 0) {
          status = OUT_OF_GAS
          break
        }
        if (cost != 0) warmAccount(p)
        if (TRACED) {
          announce(cost, sp)
          noteRead(1`,
  },
  {
    name: 'more than a fifth is refunded',
    file: '../chain/transaction/intrinsicGas.ts',
    right: "gasUsed / (since(fork, 'london') ? 5n : 2n)",
    wrong: "gasUsed / (since(fork, 'london') ? 4n : 2n)",
  },
  {
    name: 'the beneficiary is cold',
    file: 'execution.ts',
    right:
      "if (since(this.#fork, 'shanghai')) run.warmAccount(this.#instance.account(this.#context.block.coinbase))",
    wrong: '',
  },
  {
    name: 'listed slots stay cold',
    file: 'execution.ts',
    right: 'for (const key of storageKeys) run.warmSlot(this.#instance.slot(account, key))',
    wrong: 'for (const key of storageKeys) this.#instance.slot(account, key)',
  },
  {
    name: 'an authorization with a wrong nonce counts',
    file: 'transaction/runMessage.ts',
    right: 'if (instance.view.getBigUint64(account + at.A_NONCE, true) !== authorization.nonce) continue',
    wrong: '',
  },
  {
    name: 'the floor of EIP-7623 is too low',
    file: '../chain/transaction/intrinsicGas.ts',
    right: '(zeros + (data.length - zeros) * 4) * 10',
    wrong: '(zeros + (data.length - zeros) * 4) * 9',
  },
  {
    name: 'MODEXP has its old least price',
    file: 'precompiles/modexp.ts',
    right: 'max(500n, complexity',
    wrong: 'max(200n, complexity',
  },
]

// Logs and the end of a contract.
import { A_BALANCE, BERLIN, CANCUN, F_SELF, IO_WORD, OK, SPURIOUS, TANGERINE } from '../layout'
import * as O from '../opcodes'
import { hostEnter, hostExit, hostLog } from '../host'
import {
  addBalance, ensure, exists, isCreated, isEmpty, markDestroyed, subBalance, touch, warmAccount,
} from '../state/changes'
import { addLog } from '../state/logs'
import { fork } from '../state/state'
import { memBase } from '../gas'
import { addressWord, frame } from '../frames/frames'
import { copy, isZero } from '../words/u256'
import { toBytes } from '../words/bytes'

/** Writes the log of memory at an offset; false when there is no room. */
export function writeLog(topics: u32, offset: usize, size: u32, sp: usize): bool {
  const entry = addLog(16 + <usize>topics * 32 + <usize>size + 8)
  if (entry == 0) return false
  store<u32>(entry, load<u32>(frame, F_SELF))
  store<u32>(entry, topics, 4)
  store<u32>(entry, size, 8)
  for (let i: u32 = 0; i < topics; i++) toBytes(sp - 96 - <usize>i * 32, entry + 16 + <usize>i * 32)
  if (size != 0) memory.copy(entry + 16 + <usize>topics * 32, memBase + offset, size)
  if (TRACED) hostLog(entry)
  return true
}

/** What SELFDESTRUCT costs beyond its fixed gas. */
export function destroyCost(self: usize, heir: usize): i64 {
  let cost: i64 = 0
  if (fork >= BERLIN && warmAccount(heir)) cost += 2600
  if (fork >= SPURIOUS) {
    if (isEmpty(heir) && !isZero(self + A_BALANCE)) cost += 25000
  } else if (fork >= TANGERINE && !exists(heir)) cost += 25000
  return cost
}

export function destroy(self: usize, heir: usize): void {
  if (TRACED) {
    addressWord(self, IO_WORD)
    addressWord(heir, IO_WORD + 32)
    hostEnter(O.SELFDESTRUCT, IO_WORD, IO_WORD + 32, self + A_BALANCE, 0, 0, 0, 0)
    hostExit(0, 0, 0, OK)
  }
  const goes = fork < CANCUN || isCreated(self)
  if (heir != self) {
    copy(IO_WORD, self + A_BALANCE)
    if (isZero(IO_WORD)) {
      if (isEmpty(heir)) {
        ensure(heir)
        touch(heir)
      }
    } else {
      subBalance(self, IO_WORD)
      addBalance(heir, IO_WORD)
    }
  }
  if (goes) markDestroyed(self)
}

// The instrumented build's view of the running instruction. In the plain build all of it folds away.
import { F_MEMSIZE, STEPS } from '../layout'
import { hostFault, hostStep } from '../host'
import { frame } from '../frames/frames'
import { wasTold } from './once'
import { writeStep } from './text'
import { asked, ENDLESS, memSize, reserve, setAsked } from '../gas'

/** The mark of an instruction that is not told but written. */
const WRITTEN: u8 = 2
/** The marks of instructions that are told once for a word: the first of the stack, or the second. */
const ONCE_BY_FIRST: u8 = 3
const ONCE_BY_SECOND: u8 = 4
let pc: u32 = 0
let op: i32 = 0
let gasBefore: i64 = 0
let fixed: i64 = 0
let paid: i64 = 0
let announced: bool = false

/** An instruction is next; its fixed cost is not paid yet. */
export function approach(atPc: u32, opcode: i32, gas: i64, cost: i64): void {
  pc = atPc
  op = opcode
  gasBefore = gas + reserve
  fixed = cost
  announced = false
  setAsked(0)
}

/** The instruction's whole cost is known and paid. */
export function announce(cost: i64, sp: usize): void {
  if (!TRACED) return
  announced = true
  paid = fixed + cost
  // Failures are always told, other instructions where they are wanted.
  const wanted = load<u8>(STEPS + <usize>op)
  if (wanted == 0) return
  if (wanted == WRITTEN) return writeStep(pc, op, gasBefore, paid, sp)
  if (wanted == ONCE_BY_FIRST && wasTold(op, sp - 32)) return
  if (wanted == ONCE_BY_SECOND && wasTold(op, sp - 64)) return
  store<u32>(frame, memSize, F_MEMSIZE)
  hostStep(pc, op, gasBefore, paid, frame, sp, 0)
}

/** The instruction failed. */
export function failed(error: i32, sp: usize): void {
  if (!TRACED) return
  store<u32>(frame, memSize, F_MEMSIZE)
  if (announced) hostFault(pc, op, gasBefore, paid, frame, sp, error)
  else hostStep(pc, op, gasBefore, asked == ENDLESS ? fixed : fixed + asked, frame, sp, error)
}

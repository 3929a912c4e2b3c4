// What the machine asks of its host. Addresses, slots and hashes cross as big-endian bytes in linear memory.
// @ts-ignore: decorator
@external('host', 'account')
export declare function hostAccount(address: usize, out: usize): i32
@external('host', 'storage')
export declare function hostStorage(address: usize, slot: usize, out: usize): void
/** Writes the code to where `reserveCode` tells. */
@external('host', 'code')
export declare function hostCode(hash: usize): void
/** Code that this execution deployed is about to be forgotten here. */
@external('host', 'keep')
export declare function hostKeep(hash: usize, bytes: usize, length: u32): void
@external('host', 'hasStorage')
export declare function hostHasStorage(address: usize): i32
@external('host', 'blockHash')
export declare function hostBlockHash(number: u64, out: usize): void
/**
 * The gas left, with the output where `reserveReturn` tells; -1 when the precompile fails, -2 when the gas does not
 * suffice, -10 minus the reason when the execution is to be given up.
 */
@external('host', 'precompile')
export declare function hostPrecompile(id: i32, input: usize, length: u32, gas: i64): i64
/** Zero to go on. */
@external('host', 'tick')
export declare function hostTick(): i32

@external('host', 'step')
export declare function hostStep(pc: u32, op: i32, gas: i64, cost: i64, frame: usize, sp: usize, error: i32): void
@external('host', 'fault')
export declare function hostFault(pc: u32, op: i32, gas: i64, cost: i64, frame: usize, sp: usize, error: i32): void
@external('host', 'enter')
export declare function hostEnter(
  kind: i32, from: usize, to: usize, value: usize, gas: i64, input: usize, length: u32, precompile: i32): void
@external('host', 'exit')
export declare function hostExit(gasUsed: i64, output: usize, length: u32, error: i32): void
@external('host', 'log')
export declare function hostLog(log: usize): void
/** The host gets what was written of an opcode log. */
@external('host', 'text')
export declare function hostText(at: usize, length: u32): void
@external('host', 'read')
export declare function hostRead(kind: i32, account: usize, slot: usize, value: usize): void

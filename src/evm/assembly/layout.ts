// Where things lie in linear memory. The module exports these numbers, and the TypeScript side reads them there.
export const CTX: usize = 0x10000
export const CTX_COINBASE: usize = CTX
export const CTX_TIMESTAMP: usize = CTX + 32
export const CTX_NUMBER: usize = CTX + 64
export const CTX_RANDAO: usize = CTX + 96
export const CTX_GASLIMIT: usize = CTX + 128
export const CTX_CHAINID: usize = CTX + 160
export const CTX_BASEFEE: usize = CTX + 192
export const CTX_BLOBFEE: usize = CTX + 224
export const CTX_ORIGIN: usize = CTX + 256
export const CTX_GASPRICE: usize = CTX + 288
/** One byte per small address: is a precompile there? */
export const PRECOMPILES: usize = CTX + 0x400
export const PRECOMPILE_LIMIT: u64 = 0x200
/** The message of a top-level call. */
export const MSG: usize = CTX + 0x700
export const MSG_FROM: usize = MSG
export const MSG_TO: usize = MSG + 32
export const MSG_VALUE: usize = MSG + 64
/** Bytes that go to or come from the host. */
export const IO: usize = CTX + 0x800
export const IO_ADDRESS: usize = IO
export const IO_SLOT: usize = IO + 32
export const IO_VALUE: usize = IO + 64
export const IO_ACCOUNT: usize = IO + 96
export const IO_WORD: usize = IO + 192
export const IO_END: usize = IO + 256
/** Digits of long division and products. */
export const DIGITS: usize = CTX + 0x1000
export const TEMP: usize = CTX + 0x2000
/** Four bytes for each instruction: gas, and how many words it takes from the stack and gives to it. */
export const STATIC_GAS: usize = CTX + 0x4000
/** Eight bytes for each instruction: gas, the stack that it needs, and how much more there may be. */
export const CHECKS: usize = CTX + 0x5000
/** One byte for each instruction: does the host want to see it? */
export const STEPS: usize = CTX + 0x6000
/** One byte: does the host want to know what is read? */
export const READS: usize = CTX + 0x6100
export const BLOBS: usize = CTX + 0x8000
export const BLOB_LIMIT: u32 = 512
/** Addresses beyond the small ones at which precompiles stand, a word each; their numbers begin at PRECOMPILE_LIMIT. */
export const MOVED: usize = CTX + 0xc000

/** The first free block of each size of the heap. */
export const FREE_BLOCKS: usize = CTX + 0x5800
/** Stands in for a record when there is no room; the interrupt follows at the next check. */
export const SPARE: usize = CTX + 0x5a00

export const FRAMES: usize = 0x20000
export const FRAME_SIZE: usize = 256
/** The hashes of the last 256 blocks, by the lowest byte of their numbers, and which of them are there. */
export const BLOCK_HASHES: usize = 0x70000
export const KNOWN_HASHES: usize = 0x72000
/** The hashes of pairs of words that are remembered; see hashing.ts. */
export const PAIRS: usize = 0x80000
/** The instructions that were told and need not be told again; see once.ts. */
export const TOLD: usize = 0xc0000
export const TOLD_SIZE: usize = 0x10000
/** The stacks of 1,025 frames: what is not touched is address space only. */
export const STACK: usize = 0x100000
/** Everything else is in blocks of the heap, which grows, and in the arena above it; see heap.ts. */
export const HEAP: usize = 0x2300000
/** How large the heap is before it grows. */
export const HEAP_START: usize = 0x400000
/** Room above the memory of the running frame. */
export const ARENA_SLACK: usize = 0x20000
/** Below 2^31: the host gets addresses as signed numbers. */
export const MEMORY_END: usize = 0x7fff0000

// A chain of blocks of the heap: each begins with the one below it and its own size.
export const CHAIN_HEADER: usize = 16
export const CHAIN_BLOCK: usize = 0x10000

// Frame records
export const F_IP: usize = 0
export const F_SP: usize = 4
export const F_GAS: usize = 8
export const F_MEM: usize = 16
export const F_MEMSIZE: usize = 20
export const F_STACK: usize = 24
export const F_CODE: usize = 28
export const F_SELF: usize = 32
export const F_INPUT: usize = 40
export const F_INPUTLEN: usize = 44
export const F_FLAGS: usize = 48
export const F_JOURNAL: usize = 52
export const F_LOGS: usize = 56
export const F_LOGCOUNT: usize = 60
export const F_CALLER: usize = 64
export const F_VALUE: usize = 96
export const F_REFUND: usize = 128
export const F_OUT: usize = 136
export const F_OUTLEN: usize = 140
export const F_KIND: usize = 144
export const F_GIVEN: usize = 152
/** Whether it runs the stream of its code; else the code as it is. */
export const F_DECODED: usize = 160
export const STATIC: u32 = 1
export const CREATING: u32 = 2

// Account records
export const A_ADDRESS: usize = 0
export const A_FLAGS: usize = 20
export const A_NONCE: usize = 24
export const A_BALANCE: usize = 32
export const A_CODEHASH: usize = 64
export const A_CODE: usize = 96
export const A_WARM: usize = 100
export const A_CREATED: usize = 104
export const A_DESTROYED: usize = 108
export const A_TOUCHED: usize = 112
export const A_GENERATION: usize = 116
export const A_BASE_GENERATION: usize = 120
/** What the journal copies: flags to touched. */
export const A_SAVED: usize = 20
export const A_SAVED_LENGTH: usize = 96
export const A_BASE_FLAGS: usize = 124
export const A_BASE_NONCE: usize = 128
export const A_BASE_BALANCE: usize = 136
export const A_BASE_CODEHASH: usize = 168
export const A_DIRTY: usize = 200
export const A_NEXT: usize = 204
export const A_DIRTY_NEXT: usize = 208
/** The transaction that has it in its list of touched accounts, and the next of them. */
export const A_LISTED: usize = 212
export const A_LISTED_NEXT: usize = 216
export const A_SIZE: usize = 224
export const EXISTS: u32 = 1
/** The storage below (the host's) is gone. */
export const CLEARED: u32 = 2

// Slot records
export const S_ACCOUNT: usize = 0
export const S_GENERATION: usize = 4
export const S_KEY: usize = 8
export const S_VALUE: usize = 40
export const S_ORIGINAL: usize = 72
export const S_BASE: usize = 104
export const S_EPOCH: usize = 136
export const S_WARM: usize = 140
export const S_DIRTY: usize = 144
export const S_DIRTY_NEXT: usize = 148
export const S_SIZE: usize = 152

// Transient records
export const T_ACCOUNT: usize = 0
export const T_KEY: usize = 8
export const T_VALUE: usize = 40
export const T_SIZE: usize = 72

// Code objects: the code lies behind them, then zeros, then the map of what is data.
export const C_LENGTH: usize = 0
export const C_BYTES: usize = 4
export const C_STREAM: usize = 8
export const C_JUMPS: usize = 12
export const C_DELEGATED: usize = 16
/** How much it has run since it was last decoded, or since it came. */
export const C_HEAT: usize = 20
export const C_DELEGATE: usize = 24
export const C_STREAM_SIZE: usize = 44
export const C_HASH: usize = 48
/** Deployed by this execution: the host does not have it yet. */
export const C_FRESH: usize = 80
export const C_MAP: usize = 84
export const C_MAPPED: usize = 88
/** A frame runs it: only set while others are dropped. */
export const C_LIVE: usize = 92
export const C_SIZE: usize = 96

export const HOMESTEAD: i32 = 1
export const TANGERINE: i32 = 2
export const SPURIOUS: i32 = 3
export const BYZANTIUM: i32 = 4
export const CONSTANTINOPLE: i32 = 5
export const PETERSBURG: i32 = 6
export const ISTANBUL: i32 = 7
export const BERLIN: i32 = 8
export const LONDON: i32 = 9
export const SHANGHAI: i32 = 11
export const CANCUN: i32 = 12
export const PRAGUE: i32 = 13
export const OSAKA: i32 = 14

// How a frame ends; the order is that of the list in ../halts.ts.
export const OK: i32 = 0
export const REVERTED: i32 = 1
export const OUT_OF_GAS: i32 = 2
export const STACK_UNDERFLOW: i32 = 3
export const STACK_OVERFLOW: i32 = 4
export const INVALID_OPCODE: i32 = 5
export const INVALID_JUMP: i32 = 6
export const WRITE_PROTECTION: i32 = 7
export const RETURN_DATA_BOUNDS: i32 = 8
export const CALL_DEPTH: i32 = 9
export const INSUFFICIENT_BALANCE: i32 = 10
export const COLLISION: i32 = 11
export const CODE_SIZE: i32 = 12
export const INITCODE_SIZE: i32 = 13
export const CODE_EF: i32 = 14
export const CODE_STORE_GAS: i32 = 15
export const NONCE_OVERFLOW: i32 = 16
export const PRECOMPILE_FAILED: i32 = 17
/** Not the end of a frame: another one runs now. */
export const SWITCHED: i32 = -1
/** The whole execution is given up. */
export const INTERRUPTED: i32 = -2
export const MEMORY_LIMIT: i32 = 3

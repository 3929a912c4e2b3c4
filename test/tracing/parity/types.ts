/** Traces as they come over the wire. */

export interface CallFrame {
  readonly type: string
  readonly from: string
  readonly to?: string
  readonly gas: string
  readonly gasUsed: string
  readonly input: string
  readonly output?: string
  readonly value?: string
  readonly error?: string
  readonly calls?: readonly CallFrame[]
}

export interface Trace {
  readonly action: Readonly<Record<string, string>>
  readonly error?: string
  readonly result: Readonly<Record<string, string>> | null
  readonly subtraces: number
  readonly traceAddress: readonly number[]
  readonly type: string
}

export type Delta = '=' | { '+': string } | { '-': string } | { '*': { from: string; to: string } }

export interface AccountDiff {
  readonly balance: Delta
  readonly code: Delta
  readonly nonce: Delta
  readonly storage: Readonly<Record<string, Delta>>
}

export type StateDiff = Readonly<Record<string, AccountDiff>>

export interface VmOperation {
  readonly pc: number
  readonly op: string
  readonly idx: string
  readonly cost: number
  readonly sub: VmTrace | null
  readonly ex: {
    readonly mem: { readonly data: string; readonly off: number } | null
    readonly push: readonly string[]
    readonly store: { readonly key: string; readonly val: string } | null
    readonly used: number
  } | null
}

export interface VmTrace {
  readonly code: string
  readonly ops: readonly VmOperation[]
}

export interface Replayed {
  readonly output: string
  readonly trace: readonly Trace[]
  readonly stateDiff: StateDiff
  readonly vmTrace: VmTrace
  readonly transactionHash?: string
}

export interface StructLog {
  readonly pc: number
  readonly op: string
  readonly gas: number
  readonly gasCost: number
  readonly depth: number
  readonly error?: string
  readonly stack: readonly string[]
  readonly memory?: readonly string[]
}

export interface OpcodeLog {
  readonly failed: boolean
  readonly returnValue: string
  readonly structLogs: readonly StructLog[]
}

export interface PrestateAccount {
  readonly balance?: string
  readonly nonce?: number
  readonly code?: string
  readonly storage?: Readonly<Record<string, string>>
}

export interface PrestateDiff {
  readonly pre: Readonly<Record<string, PrestateAccount>>
  readonly post: Readonly<Record<string, PrestateAccount>>
}

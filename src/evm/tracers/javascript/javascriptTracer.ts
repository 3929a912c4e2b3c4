import type { EnterEvent, ExitEvent, StartEvent, StepEvent } from '../../types.ts'
import type { TraceOutput } from '../output.ts'
import { createPrecompileCheck } from '../precompileAddresses.ts'
import { type ResultTracer, type TraceContext, TraceError } from '../tracer.ts'
import { byteOffsets, type ContextMember } from './guestLayout.ts'
import { guestSource } from './guestSource.ts'
import { type CodeFrame, HostCallHandler, type ScriptContext } from './hostCalls.ts'
import type { GuestValue, Realm } from './realm.ts'

/** The flags of the optional functions that a script has. */
const hasStep = 1
const hasFrames = 2
const hasSetup = 4

const noInput = new Uint8Array(0)
const pieceBytes = 64 * 1024

/** The hooks that a script's tracer has, by the names of its functions. */
type Hook = 'setup' | 'step' | 'fault' | 'enter' | 'exit' | 'result'

/**
 * Calls the functions of a script from the tracer hooks. An error of the script is reported when the result
 * is requested.
 */
export class JavascriptTracer {
  readonly #realm: Realm
  readonly #guest: GuestValue
  readonly #hostCalls: HostCallHandler
  readonly #scriptContext: ScriptContext
  readonly #hooks = new Map<Hook, GuestValue>()
  readonly #frames: CodeFrame[] = []
  readonly #features: number
  #failure: string | undefined

  constructor(realm: Realm, script: string, config: unknown, context: TraceContext) {
    this.#realm = realm
    this.#scriptContext = {
      state: undefined,
      step: undefined,
      stepError: undefined,
      frame: undefined,
      enter: undefined,
      exit: undefined,
      context: contextOf(context),
      isPrecompile: createPrecompileCheck(context.fork),
      fail: (message) => {
        this.#failure ??= message
      },
    }
    const shared = realm.shared(byteOffsets.size)
    this.#hostCalls = new HostCallHandler(this.#scriptContext, shared.buffer, shared.at)
    const ask = realm.hostFunction((hostCall, args) => this.#hostCalls.handle(hostCall, args))
    this.#guest = realm.call(realm.evaluate(guestSource), ask, shared.value)
    this.#features = this.#load(script)
    if (this.#features & hasSetup) this.#setup(config)
  }

  /** Returns the hooks for the EVM; a hook that the script does not have costs nothing. */
  hooks(): ResultTracer {
    return {
      start: (event) => this.#start(event),
      end: ({ gasUsed }) => void this.#scriptContext.context.set('gasUsed', Number(gasUsed)),
      enter: (event) => this.#enter(event),
      exit: (event) => this.#exit(event),
      ...(this.#features & hasStep ? { step: (event: StepEvent) => this.#at('step', event) } : {}),
      fault: (event) => this.#at('fault', event),
      result: (output) => this.#result(output),
    }
  }

  #load(script: string): number {
    const realm = this.#realm
    const features = realm.call(realm.member(this.#guest, 'load'), realm.text(script))
    if (this.#failure !== undefined) throw new TraceError(this.#failure)
    return realm.number(features)
  }

  #setup(config: unknown): void {
    const realm = this.#realm
    realm.call(realm.member(this.#guest, 'setup'), realm.text(JSON.stringify(config) ?? '{}'))
    if (this.#failure !== undefined) throw new TraceError(this.#failure)
  }

  #start({ block, gasLimit, gasPrice, state }: StartEvent): void {
    const { context } = this.#scriptContext
    this.#scriptContext.state = state
    context.set('block', Number(block.number))
    context.set('coinbase', block.coinbase)
    context.set('gas', Number(gasLimit))
    // geth's name for the effective tip.
    context.set('gasPrice', gasPrice - block.baseFee)
  }

  #enter(event: EnterEvent): void {
    const { kind, depth, from, to, value, input } = event
    const above = this.#frames.at(-1)
    const isCreation = kind === 'CREATE' || kind === 'CREATE2'
    this.#frames.push({
      caller: kind === 'DELEGATECALL' ? (above?.caller ?? from) : from,
      value,
      input: isCreation ? noInput : input,
    })
    if (depth === 0) {
      const { context } = this.#scriptContext
      context.set('type', kind === 'CREATE' ? 'CREATE' : 'CALL')
      context.set('from', from)
      context.set('to', to)
      context.set('input', input)
      context.set('value', value)
    } else if (this.#features & hasFrames) {
      this.#scriptContext.enter = event
      this.#call('enter')
    }
  }

  #exit(event: ExitEvent): void {
    // geth calls `fault` for a revert too, of the last instruction.
    if (event.error === 'execution reverted') {
      this.#scriptContext.stepError = event.error
      this.#call('fault')
    }
    this.#frames.pop()
    if (event.depth === 0) {
      if (event.message !== undefined) this.#scriptContext.context.set('error', event.message)
      this.#scriptContext.context.set('output', event.output)
    } else if (this.#features & hasFrames) {
      this.#scriptContext.exit = event
      this.#call('exit')
    }
  }

  #at(hook: 'step' | 'fault', event: StepEvent): void {
    if (this.#failure !== undefined) return
    this.#scriptContext.step = event
    this.#scriptContext.stepError = event.message
    this.#scriptContext.frame = this.#frames.at(-1)
    this.#hostCalls.writeStep(event)
    this.#call(hook)
  }

  #call(hook: Hook): void {
    if (this.#failure !== undefined) return
    this.#realm.invoke(this.#hook(hook))
    this.#noteFailure(hook)
  }

  #noteFailure(hook: Hook): void {
    if (this.#failure !== undefined)
      this.#failure = `${this.#failure}    in server-side tracer function '${hook}'`
  }

  #hook(name: Hook): GuestValue {
    const known = this.#hooks.get(name) ?? this.#realm.member(this.#guest, name)
    this.#hooks.set(name, known)
    return known
  }

  #result(output: TraceOutput): void {
    if (this.#failure !== undefined) throw new TraceError(this.#failure)
    const realm = this.#realm
    const text = realm.call(this.#hook('result'))
    this.#noteFailure('result')
    if (this.#failure !== undefined) throw new TraceError(this.#failure)
    realm.read(text, (bytes) => {
      for (let at = 0; at < bytes.length; at += pieceBytes) output.raw(bytes.subarray(at, at + pieceBytes))
    })
  }
}

const contextOf = ({
  blockHash,
  transactionHash,
  transactionIndex,
}: TraceContext): ScriptContext['context'] => {
  const context = new Map<ContextMember, string | number | bigint | Uint8Array>()
  if (blockHash === undefined) return context
  context.set('blockHash', blockHash)
  if (transactionHash === undefined) return context
  context.set('txHash', transactionHash)
  context.set('txIndex', transactionIndex)
  return context
}

import { fromHex } from '../base/encoding/hex.ts'
import type { FailedFrame } from '../chain/trace/failure.ts'
import { type AbiFunction, abiFunctionsOf } from './abiFunctions.ts'
import type { CompiledContract } from './contractRegistry.ts'
import type { Definition, Range } from './outline.ts'
import { type Located, sourcesOf } from './sources.ts'

/** A failure before any code of a function ran. */
export interface EntryFailure {
  readonly message: string
  readonly at: Located<Range> | undefined
  /** What was called, as people call it. */
  readonly name: string | undefined
}

/** Returns the function that a call of a contract enters; undefined where the contract has none for it. */
export const enteredFunction = (
  contract: CompiledContract,
  { isCreation, selector, inputLength }: FailedFrame,
): AbiFunction | undefined => {
  const { bySelector, fallback, receive, creation } = abiFunctionsOf(contract.abi)
  if (isCreation) return creation
  if (inputLength === 0) return receive ?? fallback
  return (inputLength >= 4 ? bySelector.get(selector) : undefined) ?? fallback
}

/** Returns the definition of a function in the source; undefined if it is not found. */
export const definitionOf = (
  contract: CompiledContract,
  { type, name, parameters }: AbiFunction,
): Located<Definition> | undefined => {
  const sources = sourcesOf(contract.compilation)
  if (type !== 'function') return sources.definition(contract, ({ kind }) => kind === type)
  return (
    sources.definition(
      contract,
      (one) => one.kind === 'function' && one.name === name && one.parameters === parameters,
    ) ?? sources.definition(contract, (one) => one.kind === 'variable' && one.name === name)
  )
}

/** Returns why a call failed on its way into a function. */
export const entryFailure = (contract: CompiledContract, frame: FailedFrame): EntryFailure => {
  const { isCreation, inputLength, value } = frame
  const entered = enteredFunction(contract, frame)
  const isValueSent = BigInt(value) > 0n
  const whole = sourcesOf(contract.compilation).contract(contract)
  if (entered === undefined && !isCreation)
    return {
      message:
        inputLength === 0
          ? 'there is neither a receive nor a payable fallback function'
          : 'no function has this selector, and there is no fallback function',
      at: whole,
      name: undefined,
    }
  const at = entered && definitionOf(contract, entered)
  const name = isCreation ? 'constructor' : entered?.name || entered?.type
  if (isValueSent && entered?.isPayable !== true)
    return {
      message: `${amount(frame)} sent to ${unpayable(contract, frame, entered)}`,
      at: at ?? whole,
      name,
    }
  return { message: 'invalid arguments: too short, or out of range', at: at ?? whole, name }
}

const unpayable = (
  { abi }: CompiledContract,
  { inputLength }: FailedFrame,
  entered: AbiFunction | undefined,
): string => {
  if (entered?.type !== 'fallback') return 'a function that is not payable'
  const hasReceive = inputLength > 0 || abiFunctionsOf(abi).receive !== undefined
  return `a fallback function that is not payable${hasReceive ? '' : ', and there is no receive function'}`
}

const amount = ({ value }: FailedFrame): string => `${BigInt(value)} wei`

/** Whether an output is empty. */
export const isEmptyOutput = ({ output }: FailedFrame): boolean => fromHex(output).length === 0

import { useState } from 'preact/hooks'
import type { AbiItem } from '../../../src/base/abi/item.ts'
import { typeName } from '../../../src/base/abi/type.ts'
import { EncodeProblem, encodeParameters } from '../../abi/encode.ts'
import { idOf } from '../../abi/id.ts'
import { Field } from '../../parts/field.tsx'
import { SafeText, safeText } from '../../parts/safeText.tsx'
import type { Hex } from '../../rpc/types.ts'
import { texts } from '../../texts/texts.ts'

export interface ParameterValues {
  readonly values: readonly string[]
  readonly setValue: (index: number, value: string) => void
  readonly problem: { readonly index: number; readonly text: string } | undefined
  /** Returns the data of the call; undefined if a value is wrong, which is then shown. */
  readonly encode: () => Hex | undefined
}

/** The values that were typed for the parameters of a function. */
export const useParameters = (item: AbiItem): ParameterValues => {
  const [values, setValues] = useState<readonly string[]>(item.inputs.map(() => ''))
  const [problem, setProblem] = useState<ParameterValues['problem']>()
  return {
    values,
    problem,
    setValue: (index, value) => {
      setProblem(undefined)
      setValues(values.map((old, at) => (at === index ? value : old)))
    },
    encode: () => {
      for (const [index, input] of item.inputs.entries()) {
        try {
          encodeParameters([input], [values[index]])
        } catch (error) {
          if (!(error instanceof EncodeProblem)) throw error
          // It may have names of the ABI.
          setProblem({ index, text: safeText(error.message, 300) })
          return undefined
        }
      }
      return `${idOf(item)}${encodeParameters(item.inputs, values).slice(2)}`
    },
  }
}

export const ParameterFields = ({
  item,
  parameters,
}: {
  readonly item: AbiItem
  readonly parameters: ParameterValues
}) => (
  <>
    {item.inputs.map((input, index) => (
      <Field
        key={`${index}${input.name}`}
        label={
          <>
            <SafeText text={input.name || `${index}`} max={60} />{' '}
            <span class="type">{typeName(input.type)}</span>
          </>
        }
        value={parameters.values[index] ?? ''}
        isMono
        {...(input.type.kind === 'array' || input.type.kind === 'tuple'
          ? { placeholder: texts.forms.json }
          : {})}
        problem={parameters.problem?.index === index ? parameters.problem.text : undefined}
        onInput={(value) => parameters.setValue(index, value)}
      />
    ))}
  </>
)

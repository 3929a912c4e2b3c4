import { useState } from 'preact/hooks'
import type { Decoded } from '../../../src/base/abi/decode.ts'
import type { AbiItem } from '../../../src/base/abi/item.ts'
import { decodeParameters } from '../../abi/decode.ts'
import { NamedValues } from '../../parts/decoded.tsx'
import { Proven } from '../../parts/proof.tsx'
import { SafeText } from '../../parts/safeText.tsx'
import { call } from '../../rpc/client.ts'
import type { Hex } from '../../rpc/types.ts'
import { texts } from '../../texts/texts.ts'
import { CallProblem } from './callProblem.tsx'
import { ParameterFields, useParameters } from './parameterFields.tsx'

interface ReadFormProps {
  readonly item: AbiItem
  readonly address: Hex
}

/** A function that only reads. One without parameters is read when it is opened. */
export const ReadForm = ({ item, address }: ReadFormProps) => {
  const parameters = useParameters(item)
  const [result, setResult] = useState<readonly Decoded[] | undefined>()
  const [error, setError] = useState<unknown>()
  const [isAsked, setAsked] = useState(false)
  const read = async (): Promise<void> => {
    const data = parameters.encode()
    if (data === undefined) return
    setAsked(true)
    try {
      const output = await call<Hex>('eth_call', { to: address, data }, 'latest')
      setResult(decodeParameters(item.outputs, output))
      setError(undefined)
    } catch (problem) {
      setError(problem)
      setResult(undefined)
    }
  }
  return (
    <details
      class="function"
      onToggle={(event) => event.currentTarget.open && item.inputs.length === 0 && !isAsked && void read()}
    >
      <summary>
        <SafeText text={item.name} max={80} />
      </summary>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void read()
        }}
      >
        <ParameterFields item={item} parameters={parameters} />
        <button type="submit" class="button small">
          {texts.forms.read}
        </button>
        {error !== undefined && <CallProblem error={error} address={address} />}
        {isAsked && error === undefined && (
          <output class="result">
            {result === undefined ? (
              <span class="muted">{texts.forms.noValue}</span>
            ) : result.length === 0 ? (
              <span class="muted">{texts.forms.nothing}</span>
            ) : (
              <NamedValues values={result} />
            )}
            <Proven />
          </output>
        )}
      </form>
    </details>
  )
}

import { useState } from 'preact/hooks'
import { formatBytes } from '../../format/numbers.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { Field } from '../../parts/field.tsx'
import { Panel } from '../../parts/layout.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Raw } from '../../parts/raw.tsx'
import { SafeText, safeText } from '../../parts/safeText.tsx'
import { postText } from '../../rpc/client.ts'
import { RpcFailure } from '../../rpc/failure.ts'
import { texts } from '../../texts/texts.ts'
import {
  describeSchema,
  type loadDocument,
  type MethodDescription,
  readValue,
  showValue,
} from './document.ts'
import { snippets } from './snippets.ts'

interface Answer {
  readonly text: string
  readonly ms: number
  readonly bytes: number
  readonly isError: boolean
}

/** The longest text that is laid out; a longer one stays in one line. */
const maxPretty = 2_000_000

const layOut = (text: string): { readonly text: string; readonly isError: boolean } => {
  if (text.length > maxPretty) return { text, isError: false }
  const answer = JSON.parse(text) as { readonly result?: unknown; readonly error?: unknown }
  const isError = answer.error != null
  return { text: JSON.stringify(isError ? answer.error : answer.result, undefined, 2) ?? '', isError }
}

interface MethodFormProps {
  readonly method: MethodDescription
  readonly document: Awaited<ReturnType<typeof loadDocument>>
}

/** The parameters that were typed; those at the end that are empty are left out. */
const readParams = (method: MethodDescription, values: readonly string[]): readonly unknown[] => {
  const given = method.params.map((_, index) =>
    (values[index] ?? '').trim() === '' ? undefined : readValue(values[index] ?? ''),
  )
  while (given.length > 0 && given.at(-1) === undefined) given.pop()
  return given.map((value) => value ?? null)
}

const Snippets = ({ method, params }: { readonly method: string; readonly params: readonly unknown[] }) => (
  <div class="row">
    <span class="muted">{texts.console.copyAs}</span>
    {snippets(method, params).map(([name, text]) => (
      <CopyButton key={name} text={text} label={name} />
    ))}
  </div>
)

export const MethodForm = ({ method, document }: MethodFormProps) => {
  const [values, setValues] = useState<readonly string[]>(method.params.map(() => ''))
  const [answer, setAnswer] = useState<Answer>()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  let params: readonly unknown[] = []
  let problem: string | undefined
  try {
    params = readParams(method, values)
  } catch {
    problem = texts.console.noJson
  }
  const run = async (): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      const { text, ms } = await postText(
        JSON.stringify({ jsonrpc: '2.0', id: 1, method: method.name, params }),
      )
      setAnswer({ ...layOut(text), ms, bytes: new Blob([text]).size })
    } catch (failure) {
      setError(failure instanceof RpcFailure ? failure : new RpcFailure(method.name, String(failure)))
    } finally {
      setBusy(false)
    }
  }
  const access = method['x-access']
  return (
    <div class="method">
      <Panel
        title={
          <span class="mono">
            <SafeText text={method.name} max={80} />
          </span>
        }
        aside={access !== undefined && <span class="badge plain">{safeText(access, 40)}</span>}
      >
        <p class="summary">
          <SafeText text={method.summary ?? ''} />
        </p>
        {access === 'private' && <p class="field-note">{texts.errors.private}</p>}
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (problem === undefined) void run()
          }}
        >
          {method.params.map((param, index) => (
            <Field
              key={param.name}
              label={
                <>
                  <SafeText text={param.name} max={60} />{' '}
                  {param.required !== true && <span class="type">{texts.console.optional}</span>}
                </>
              }
              isMono
              value={values[index] ?? ''}
              note={safeText(`${param.summary ?? ''} ${describeSchema(param.schema, document)}`.trim(), 240)}
              onInput={(value) => setValues(values.map((old, at) => (at === index ? value : old)))}
            />
          ))}
          <div class="row">
            <button type="submit" class="button primary" disabled={isBusy || problem !== undefined}>
              {isBusy ? texts.console.calling : texts.console.call}
            </button>
            {(method.examples ?? []).slice(0, 4).map((example) => (
              <button
                key={example.name}
                type="button"
                class="button small"
                onClick={() =>
                  setValues(
                    method.params.map((_, index) =>
                      example.params[index] === undefined ? '' : showValue(example.params[index]?.value),
                    ),
                  )
                }
              >
                {texts.console.example(safeText(example.name, 80))}
              </button>
            ))}
          </div>
          <p class="field-note bad" role="status">
            {problem}
          </p>
        </form>
        <Snippets method={method.name} params={params} />
      </Panel>
      {error !== undefined && <Problem error={error} />}
      {answer !== undefined && (
        <Panel
          title={answer.isError ? texts.console.error : texts.console.result}
          aside={
            <span class="muted num" role="status">
              {texts.console.cost(answer.ms.toFixed(0), formatBytes(answer.bytes))}
            </span>
          }
        >
          <Raw value={answer.text} />
        </Panel>
      )}
    </div>
  )
}

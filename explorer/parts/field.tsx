import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface FieldProps {
  readonly label: ComponentChildren
  readonly value: string
  readonly onInput: (value: string) => void
  readonly placeholder?: string
  readonly note?: string | undefined
  readonly problem?: string | undefined
  readonly rows?: number
  readonly isMono?: boolean
  readonly list?: readonly string[]
}

/** A named input with what is wrong about it below. */
export const Field = ({
  label,
  value,
  onInput,
  placeholder,
  note,
  problem,
  rows,
  isMono,
  list,
}: FieldProps) => {
  const id = useId()
  const shared = {
    id,
    value,
    placeholder: placeholder ?? '',
    spellcheck: false,
    autocomplete: 'off',
    'aria-invalid': problem !== undefined,
    'aria-describedby': `${id}-note`,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) =>
      onInput(event.currentTarget.value),
  } as const
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {rows === undefined ? (
        <input type="text" class={isMono ? 'mono' : ''} list={list && `${id}-list`} {...shared} />
      ) : (
        <textarea rows={rows} {...shared} />
      )}
      {list !== undefined && (
        <datalist id={`${id}-list`}>
          {list.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
      <span id={`${id}-note`} class={problem === undefined ? 'field-note' : 'field-note bad'}>
        {problem ?? note}
      </span>
    </div>
  )
}

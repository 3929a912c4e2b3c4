import { useId, useState } from 'preact/hooks'
import { knownItems } from '../../abi/known.ts'
import { giveAbi } from '../../abi/registry.ts'
import { typeName } from '../../abi/type.ts'
import { shorten } from '../../format/hex.ts'
import type { Hex } from '../../rpc/types.ts'

/** The functions of ERC-20 as an ABI, for tokens of which nobody has the ABI at hand. */
const erc20 = (): string =>
  JSON.stringify(
    knownItems()
      .filter(
        ({ kind, name, inputs }) =>
          kind === 'function' &&
          /^(?:name|symbol|decimals|totalSupply|balanceOf|allowance|transfer|approve|transferFrom)$/.test(
            name,
          ) &&
          (name !== 'balanceOf' || inputs.length === 1),
      )
      .map(({ name, inputs, outputs, mutability }) => ({
        type: 'function',
        name,
        stateMutability: mutability,
        inputs: inputs.map((input) => ({ name: input.name, type: typeName(input.type) })),
        outputs: outputs.map((output) => ({ name: output.name, type: typeName(output.type) })),
      })),
  )

/** Takes an ABI: a file that is dropped or chosen, or a text that is pasted. */
export const AbiDrop = ({ address }: { readonly address: Hex }) => {
  const id = useId()
  const [isOver, setOver] = useState(false)
  const [problem, setProblem] = useState('')
  const [text, setText] = useState('')
  const give = (name: string, content: string): void => {
    const isAbi = giveAbi(address, name, content)
    setProblem(
      isAbi ? '' : 'This is no ABI: a JSON list is needed, or a file of a compiler that has one as "abi".',
    )
  }
  const read = async (file: File | undefined): Promise<void> => {
    if (file !== undefined) give(file.name.replace(/\.json$/, ''), await file.text())
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is one way; the button and the text are the others
    <div
      class={isOver ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        void read(event.dataTransfer?.files[0])
      }}
    >
      <p>
        Drop the contract's ABI here to read, to write and to have its calls and events decoded. It stays in
        this browser.
      </p>
      <p class="row drop-choices">
        <label for={id}>ABI file</label>
        <input
          id={id}
          type="file"
          accept=".json,application/json"
          onChange={(event) => void read(event.currentTarget.files?.[0])}
        />
        <button type="button" class="button small" onClick={() => give('ERC-20', erc20())}>
          It is an ERC-20 token
        </button>
      </p>
      <textarea
        rows={4}
        aria-label="ABI as text"
        placeholder='[{"type":"function", …}]'
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button
        type="button"
        class="button"
        disabled={text.trim() === ''}
        onClick={() => give(shorten(address), text)}
      >
        Use this ABI
      </button>
      <p class="field-note bad" role="status">
        {problem}
      </p>
    </div>
  )
}

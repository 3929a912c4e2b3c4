import { useState } from 'preact/hooks'
import { typeName } from '../../../src/base/abi/type.ts'
import { knownItems } from '../../abi/known.ts'
import { giveAbi } from '../../abi/registry.ts'
import { shorten } from '../../format/hex.ts'
import { nodeFacts } from '../../live/node.ts'
import { FileDrop } from '../../parts/fileDrop.tsx'
import type { Hex } from '../../rpc/types.ts'
import { useStore } from '../../state/store.ts'
import { texts } from '../../texts/texts.ts'

/** The functions of ERC-20 as an ABI, for tokens whose ABI nobody has at hand. */
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

/** That of the largest contract has a tenth of it. */
const maxAbiBytes = 5e6

/** Takes an ABI: a file that is dropped or chosen, or a text that is pasted. */
export const AbiDrop = ({ address }: { readonly address: Hex }) => {
  const [problem, setProblem] = useState('')
  const [text, setText] = useState('')
  const isDev = useStore(nodeFacts, (facts) => facts?.isDev ?? false)
  const give = async (name: string, content: string): Promise<void> => {
    const isAbi = await giveAbi(address, name, content)
    setProblem(isAbi ? '' : texts.abi.noAbi)
  }
  return (
    <FileDrop
      about={isDev ? texts.abi.dropDev : texts.abi.drop}
      label={texts.abi.file}
      problem={problem}
      maxBytes={maxAbiBytes}
      onFile={(name, content) => void give(name.replace(/\.json$/, ''), content)}
    >
      <textarea
        rows={4}
        aria-label={texts.abi.text}
        placeholder='[{"type":"function", …}]'
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <p class="row drop-choices">
        <button
          type="button"
          class="button"
          disabled={text.trim() === ''}
          onClick={() => void give(shorten(address), text)}
        >
          {texts.abi.use}
        </button>
        <button type="button" class="button" onClick={() => void give('ERC-20', erc20())}>
          {texts.abi.isErc20}
        </button>
      </p>
    </FileDrop>
  )
}

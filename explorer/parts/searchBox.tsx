import { useRef, useState } from 'preact/hooks'
import { go } from '../page/route.ts'
import { findLink } from '../page/search.ts'
import { useKeys } from '../page/useKeys.ts'
import { messageOf } from '../rpc/failure.ts'
import { texts } from '../texts/texts.ts'
import { SafeText } from './safeText.tsx'

export const SearchBox = () => {
  const input = useRef<HTMLInputElement>(null)
  const [note, setNote] = useState('')
  useKeys([{ key: '/', text: texts.searchKey, run: () => input.current?.focus() }], [])
  const search = async (): Promise<void> => {
    const text = input.current?.value ?? ''
    if (text.trim() === '') return setNote(texts.searchHint)
    try {
      const link = await findLink(text)
      if (link === undefined) return setNote(texts.searchNothing)
      setNote('')
      go(link)
      if (input.current !== null) input.current.value = ''
      input.current?.blur()
    } catch (error) {
      setNote(messageOf(error))
    }
  }
  return (
    <form
      class="search"
      onSubmit={(event) => {
        event.preventDefault()
        void search()
      }}
    >
      <input
        ref={input}
        type="search"
        name="search"
        aria-label={texts.searchLabel}
        placeholder={texts.search}
        autocomplete="off"
        spellcheck={false}
        onInput={() => setNote('')}
        onKeyDown={(event) => event.key === 'Escape' && input.current?.blur()}
      />
      <kbd>/</kbd>
      <p class="search-note" role="status">
        <SafeText text={note} max={300} />
      </p>
    </form>
  )
}

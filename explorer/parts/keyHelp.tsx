import { useEffect, useRef } from 'preact/hooks'
import { currentKeys } from '../page/keyboard.ts'
import { texts } from '../texts/texts.ts'

/** The list of keys that do something in the view that is open. */
export const KeyHelp = ({ onClose }: { readonly onClose: () => void }) => {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} onClose={onClose} aria-label={texts.keys.title}>
      <h2>{texts.keys.title}</h2>
      <dl class="keys">
        {currentKeys().map(({ key, text }) => (
          <div key={key}>
            <dt>
              <kbd>{key === 'ArrowLeft' ? '←' : key === 'ArrowRight' ? '→' : key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit" class="button">
          {texts.keys.close}
        </button>
      </form>
    </dialog>
  )
}

import { useEffect, useRef, useState } from 'preact/hooks'
import { endpoint, lies, proofProblem, provenHead, trustText } from '../rpc/proof.ts'
import { addressWith, endpointsOf, parseTrust } from '../rpc/trustAddress.ts'
import { useStore } from '../state/store.ts'
import { texts } from '../texts/texts.ts'
import { Field } from './field.tsx'
import { SafeText } from './safeText.tsx'

/** Who signed what stands beside it; nothing where the page believes its endpoint. */
export const Proven = () => {
  const head = useStore(provenHead)
  if (trustText() === undefined || head === undefined) return null
  const { number, validators, power } = head
  return (
    <span class="badge good proof" title={texts.proof.provenHelp}>
      ✓ {texts.proof.signedBy(number, validators, power)}
    </span>
  )
}

/** That what stands beside it is the endpoint's word; nothing where the page believes its endpoint. */
export const Unproven = () =>
  trustText() === undefined ? null : (
    <span class="badge unproven" title={texts.proof.unprovenHelp(endpoint().host)}>
      ? {texts.proof.unproven}
    </span>
  )

/** The same of all that stands below. */
export const UnprovenNote = () =>
  trustText() === undefined ? null : (
    <p class="notice unproven" role="note">
      ? {texts.proof.unprovenHelp(endpoint().host)}
    </p>
  )

/** What is proven so far, or why nothing is, and which endpoint lied. */
export const ProofBar = () => {
  const head = useStore(provenHead)
  const problem = useStore(proofProblem)
  const told = useStore(lies)
  if (trustText() === undefined) return null
  return (
    <div class="proof-bar" role="status">
      {problem !== undefined ? (
        <span class="bad">
          ✕ {texts.proof.nothing}: <SafeText text={problem} max={600} />
        </span>
      ) : head === undefined ? (
        texts.proof.starting
      ) : (
        texts.proof.bar(head.number, head.validators, head.power)
      )}
      {told.map((lie) => (
        <div class="bad" key={lie}>
          ✕ {texts.proof.lied} <SafeText text={lie} max={600} />
        </div>
      ))}
    </div>
  )
}

const Dialog = ({ onClose }: { readonly onClose: () => void }) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const current = trustText()
  const [trust, setTrust] = useState(current ?? '')
  const [rpc, setRpc] = useState(endpointsOf(location.search).join('\n'))
  useEffect(() => dialog.current?.showModal(), [])
  const isWrong = parseTrust(trust) === undefined
  /** Another page: nothing that was believed stays. */
  const open = (block: string | undefined): void =>
    location.assign(addressWith(location.href, rpc.split(/\s+/).filter(Boolean), block))
  return (
    <dialog ref={dialog} class="proof-dialog" onClose={onClose} aria-label={texts.proof.title}>
      <h2>{texts.proof.title}</h2>
      <p>{texts.proof.about}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!isWrong) open(trust.trim())
        }}
      >
        <Field
          label={texts.proof.trusted}
          value={trust}
          isMono
          placeholder="120000:5A3C…"
          onInput={setTrust}
          note={texts.proof.howToTrust}
          problem={trust !== '' && isWrong ? texts.proof.trustWanted : undefined}
        />
        <Field
          label={texts.proof.endpoints}
          value={rpc}
          isMono
          rows={2}
          placeholder={endpoint().href}
          onInput={setRpc}
          note={texts.proof.endpointsNote}
        />
        <div class="row">
          <button type="submit" class="button primary" disabled={isWrong}>
            {texts.proof.start}
          </button>
          {current !== undefined && (
            <button type="button" class="button" onClick={() => open(undefined)}>
              {texts.proof.stop}
            </button>
          )}
          <button type="button" class="button" onClick={() => dialog.current?.close()}>
            {texts.keys.close}
          </button>
        </div>
      </form>
    </dialog>
  )
}

/** The switch. */
export const ProofButton = () => {
  const [isOpen, setOpen] = useState(false)
  const isOn = trustText() !== undefined
  const help = isOn ? texts.proof.isOn : texts.proof.isOff
  return (
    <>
      <button
        type="button"
        class={`icon-button${isOn ? ' is-on' : ''}`}
        aria-label={help}
        title={help}
        onClick={() => setOpen(true)}
      >
        <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
          <path
            d="M8 1.5 13.5 3.5V8c0 3.2-2.3 5.4-5.5 6.5C4.8 13.4 2.5 11.2 2.5 8V3.5z"
            fill={isOn ? 'currentColor' : 'none'}
            stroke="currentColor"
            stroke-width="1.4"
          />
        </svg>
      </button>
      {isOpen && <Dialog onClose={() => setOpen(false)} />}
    </>
  )
}

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { isAddress } from '../../format/hex.ts'
import { parseUnits, toQuantity } from '../../format/numbers.ts'
import { catchUp } from '../../live/live.ts'
import { nodeFacts } from '../../live/node.ts'
import { useCall } from '../../live/useCall.ts'
import { Field } from '../../parts/field.tsx'
import { Empty, Heading, Panel, useTitle } from '../../parts/layout.tsx'
import { SafeText } from '../../parts/safeText.tsx'
import { call } from '../../rpc/client.ts'
import { messageOf } from '../../rpc/failure.ts'
import { useStore } from '../../state/store.ts'
import { texts } from '../../texts/texts.ts'
import { snapshots } from './snapshots.ts'

interface ToolProps {
  readonly title: string
  readonly about: string
  readonly button: string
  /** Does it and says what was done. */
  readonly run: () => Promise<string>
  readonly children?: ComponentChildren
  readonly isReady?: boolean
}

/** One thing that can be done to the chain, with what came of it. */
const Tool = ({ title, about, button, run, children, isReady = true }: ToolProps) => {
  const [note, setNote] = useState<{ readonly text: string; readonly isBad: boolean }>()
  const act = async (): Promise<void> => {
    try {
      setNote({ text: await run(), isBad: false })
      // The head may have gone back, which no new block shows.
      await catchUp()
    } catch (error) {
      setNote({ text: messageOf(error), isBad: true })
    }
  }
  return (
    <Panel title={title}>
      <p class="muted tool-about">{about}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void act()
        }}
      >
        {children}
        <button type="submit" class="button small" disabled={!isReady}>
          {button}
        </button>
        <p class={note?.isBad ? 'field-note bad' : 'field-note'} role="status">
          {note !== undefined && <SafeText text={note.text} max={300} />}
        </p>
      </form>
    </Panel>
  )
}

const whole = (text: string): number | undefined => (/^\d{1,9}$/.test(text.trim()) ? Number(text) : undefined)

const Faucet = ({ accounts }: { readonly accounts: readonly string[] }) => {
  const [address, setAddress] = useState('')
  const [amount, setAmount] = useState('1000')
  const wei = parseUnits(amount, 18)
  return (
    <Tool
      title={texts.dev.faucet.title}
      about={texts.dev.faucet.about}
      button={texts.dev.faucet.button}
      isReady={isAddress(address.trim()) && wei !== undefined}
      run={async () => {
        await call('anvil_setBalance', address.trim(), toQuantity(wei ?? 0n))
        return texts.dev.faucet.done(amount)
      }}
    >
      <Field
        label={texts.names.address}
        value={address}
        isMono
        onInput={setAddress}
        list={accounts}
        placeholder="0x…"
      />
      <Field
        label={texts.dev.faucet.amount}
        value={amount}
        onInput={setAmount}
        problem={wei === undefined ? texts.amountWanted : undefined}
      />
    </Tool>
  )
}

const Mine = () => {
  const [blocks, setBlocks] = useState('1')
  const count = whole(blocks)
  return (
    <Tool
      title={texts.dev.mine.title}
      about={texts.dev.mine.about}
      button={texts.dev.mine.title}
      isReady={count !== undefined && count > 0}
      run={async () => {
        await call('anvil_mine', toQuantity(count ?? 1))
        return texts.dev.mine.done(Number(await call<string>('eth_blockNumber')))
      }}
    >
      <Field label={texts.dev.mine.blocks} value={blocks} onInput={setBlocks} />
    </Tool>
  )
}

const Time = () => {
  const [seconds, setSeconds] = useState('3600')
  const count = whole(seconds)
  return (
    <Tool
      title={texts.dev.time.title}
      about={texts.dev.time.about}
      button={texts.dev.time.button}
      isReady={count !== undefined}
      run={async () => {
        await call('evm_increaseTime', count ?? 0)
        await call('anvil_mine', '0x1')
        return texts.dev.time.done(count ?? 0)
      }}
    >
      <Field label={texts.dev.time.seconds} value={seconds} onInput={setSeconds} />
    </Tool>
  )
}

const Snapshots = () => {
  const last = useStore(snapshots).at(-1)
  return (
    <>
      <Tool
        title={texts.dev.snapshot.title}
        about={texts.dev.snapshot.about}
        button={texts.dev.snapshot.button}
        run={async () => {
          const [id, block] = await Promise.all([
            call<string>('evm_snapshot'),
            call<string>('eth_blockNumber'),
          ])
          snapshots.set([...snapshots.get(), { id, block: Number(block) }])
          return texts.dev.snapshot.done(Number(id), Number(block))
        }}
      />
      <Tool
        title={texts.dev.back.title}
        about={last === undefined ? texts.dev.back.none : texts.dev.back.about(Number(last.id), last.block)}
        button={texts.dev.back.title}
        isReady={last !== undefined}
        run={async () => {
          if (last === undefined) return ''
          const isDone = await call<boolean>('evm_revert', last.id)
          snapshots.set(snapshots.get().filter((one) => one !== last))
          return isDone ? texts.dev.back.done(last.block) : texts.dev.back.unknown
        }}
      />
    </>
  )
}

const Impersonate = () => {
  const [address, setAddress] = useState('')
  return (
    <Tool
      title={texts.dev.impersonate.title}
      about={texts.dev.impersonate.about}
      button={texts.dev.impersonate.title}
      isReady={isAddress(address.trim())}
      run={async () => {
        await call('anvil_impersonateAccount', address.trim())
        return texts.dev.impersonate.done
      }}
    >
      <Field label={texts.names.address} value={address} isMono onInput={setAddress} placeholder="0x…" />
    </Tool>
  )
}

export const DevToolsView = () => {
  useTitle(texts.nav.dev)
  const facts = useStore(nodeFacts)
  const accounts = useCall(() => call<readonly string[]>('eth_accounts').catch(() => []), [])
  return (
    <>
      <Heading kind={texts.nav.dev} />
      {facts !== undefined && !facts.isDev ? (
        <Empty>{texts.dev.none}</Empty>
      ) : (
        <>
          <p class="muted lead">{texts.dev.warning}</p>
          <div class="tool-grid">
            <Faucet accounts={(accounts.data ?? []).filter(isAddress)} />
            <Mine />
            <Time />
            <Snapshots />
            <Impersonate />
          </div>
        </>
      )}
    </>
  )
}

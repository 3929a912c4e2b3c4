import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { isAddress } from '../format/hex.ts'
import { parseUnits, toQuantity } from '../format/numbers.ts'
import { catchUp } from '../live/live.ts'
import { nodeFacts } from '../node.ts'
import { Field } from '../parts/field.tsx'
import { Empty, Heading, Panel, useTitle } from '../parts/layout.tsx'
import { SafeText } from '../parts/safeText.tsx'
import { call } from '../rpc/client.ts'
import { messageOf } from '../rpc/failure.ts'
import { createStore, useStore } from '../store.ts'
import { texts } from '../texts.ts'
import { useCall } from '../useCall.ts'

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
      // The head may have gone back, of which no new block tells.
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
      title="Faucet"
      about="Sets the balance of an account."
      button="Set the balance"
      isReady={isAddress(address.trim()) && wei !== undefined}
      run={async () => {
        await call('anvil_setBalance', address.trim(), toQuantity(wei ?? 0n))
        return `The balance is ${amount} now.`
      }}
    >
      <Field label="Address" value={address} isMono onInput={setAddress} list={accounts} placeholder="0x…" />
      <Field
        label="Balance in ETH"
        value={amount}
        onInput={setAmount}
        problem={wei === undefined ? 'an amount such as 0.5' : undefined}
      />
    </Tool>
  )
}

const Mine = () => {
  const [blocks, setBlocks] = useState('1')
  const count = whole(blocks)
  return (
    <Tool
      title="Mine"
      about="Makes blocks at once."
      button="Mine"
      isReady={count !== undefined && count > 0}
      run={async () => {
        await call('anvil_mine', toQuantity(count ?? 1))
        return `The newest block is ${Number(await call<string>('eth_blockNumber'))}.`
      }}
    >
      <Field label="Blocks" value={blocks} onInput={setBlocks} />
    </Tool>
  )
}

const Time = () => {
  const [seconds, setSeconds] = useState('3600')
  const count = whole(seconds)
  return (
    <Tool
      title="Time"
      about="Lets time pass: the clock of the chain goes ahead, and a block shows it."
      button="Go ahead"
      isReady={count !== undefined}
      run={async () => {
        await call('evm_increaseTime', count ?? 0)
        await call('anvil_mine', '0x1')
        return `${count} seconds have passed.`
      }}
    >
      <Field label="Seconds" value={seconds} onInput={setSeconds} />
    </Tool>
  )
}

/** The snapshots of this page, the newest last. Going back to one uses it and the later ones up. */
const snapshots = createStore<readonly { readonly id: string; readonly block: number }[]>([])

const Snapshots = () => {
  const list = useStore(snapshots)
  const last = list.at(-1)
  return (
    <>
      <Tool
        title="Snapshot"
        about="Remembers the state of the chain as it is now."
        button="Take a snapshot"
        run={async () => {
          const [id, block] = await Promise.all([
            call<string>('evm_snapshot'),
            call<string>('eth_blockNumber'),
          ])
          snapshots.set([...snapshots.get(), { id, block: Number(block) }])
          return `Snapshot ${Number(id)} is of block ${Number(block)}.`
        }}
      />
      <Tool
        title="Go back"
        about={
          last === undefined
            ? 'There is no snapshot of this page yet.'
            : `To snapshot ${Number(last.id)}, of block ${last.block}.`
        }
        button="Go back"
        isReady={last !== undefined}
        run={async () => {
          if (last === undefined) return ''
          const isDone = await call<boolean>('evm_revert', last.id)
          snapshots.set(list.slice(0, -1))
          return isDone
            ? `The chain is at block ${last.block} again.`
            : 'The node does not know this snapshot any more.'
        }}
      />
    </>
  )
}

const Impersonate = () => {
  const [address, setAddress] = useState('')
  return (
    <Tool
      title="Impersonate"
      about="Lets the node send from an account without its key; the forms of contracts offer it then."
      button="Impersonate"
      isReady={isAddress(address.trim())}
      run={async () => {
        await call('anvil_impersonateAccount', address.trim())
        return 'Transactions from this account need no signature now.'
      }}
    >
      <Field label="Address" value={address} isMono onInput={setAddress} placeholder="0x…" />
    </Tool>
  )
}

export const DevToolsView = () => {
  useTitle('Dev tools')
  const facts = useStore(nodeFacts)
  const accounts = useCall(() => call<readonly string[]>('eth_accounts').catch(() => []), [])
  return (
    <>
      <Heading kind="Dev tools" />
      {facts !== undefined && !facts.isDev ? (
        <Empty>This is no chain for development: nobody can change it from here.</Empty>
      ) : (
        <>
          <p class="muted lead">{texts.dev.warning}</p>
          <div class="tool-grid">
            <Faucet accounts={accounts.data ?? []} />
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

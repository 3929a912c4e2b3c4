import { abiOf, abiVersion } from '../../abi/registry.ts'
import { tokenFacts, useTokens } from '../../abi/tokens.ts'
import { delegateOf, isAddress, shorten, toChecksum } from '../../format/hex.ts'
import { formatBytes, group, toNumber } from '../../format/numbers.ts'
import { head } from '../../live/live.ts'
import { nodeFacts } from '../../live/node.ts'
import { useCall } from '../../live/useCall.ts'
import { linkTo, type Route, replaceLink } from '../../page/route.ts'
import { useKeys } from '../../page/useKeys.ts'
import { Amount } from '../../parts/amount.tsx'
import { copyText } from '../../parts/copy.tsx'
import { Empty, Facts, Heading, Loaded, Panel, Tabs, useTitle } from '../../parts/layout.tsx'
import { AddressLink, HexValue, isConsole, TransactionLink } from '../../parts/link.tsx'
import { Proven, Unproven } from '../../parts/proof.tsx'
import { Raw } from '../../parts/raw.tsx'
import { SafeText } from '../../parts/safeText.tsx'
import { call } from '../../rpc/client.ts'
import type { Hex } from '../../rpc/types.ts'
import { useStore } from '../../state/store.ts'
import { texts } from '../../texts/texts.ts'
import { ContractForms } from './contractForms.tsx'
import { History } from './history.tsx'
import { StorageLookup } from './storage.tsx'
import { Tokens } from './tokens.tsx'

const loadAccount = async (address: string, isNative: boolean) => {
  const [balance, nonce, code, creator, native] = await Promise.all([
    call<Hex>('eth_getBalance', address, 'latest'),
    call<Hex>('eth_getTransactionCount', address, 'latest'),
    call<Hex>('eth_getCode', address, 'latest'),
    call<{ readonly hash: Hex; readonly creator: Hex } | null>('ots_getContractCreator', address).catch(
      () => null,
    ),
    isNative ? call<string>('cosmos_toBech32', address).catch(() => undefined) : undefined,
  ])
  return { balance, nonce, code, creator, native }
}

export const AccountView = ({ route }: { readonly route: Route }) => {
  const address = (route.args[0] ?? '') as Hex
  useStore(abiVersion)
  const newest = useStore(head)
  const isNative = useStore(nodeFacts, (facts) => facts?.isNative ?? false)
  const isWanted = isAddress(address)
  const state = useCall(
    async () => (isWanted ? loadAccount(address, isNative) : undefined),
    [address, isNative],
    newest,
  )
  const delegate = delegateOf(state.data?.code ?? '')
  const isContract = state.data !== undefined && state.data.code !== '0x' && delegate === undefined
  useTokens(isContract ? [address] : [])
  const token = isContract ? tokenFacts(address) : undefined
  const kind = isConsole(address)
    ? texts.account.console
    : isContract
      ? texts.account.contract
      : texts.account.account
  useTitle(texts.account.title(kind, shorten(address)))
  useKeys([{ key: 'c', text: texts.account.copy, run: () => void copyText(toChecksum(address)) }], [address])
  const tabs: readonly (readonly [string, string])[] = [
    ['history', texts.names.transactions],
    ['tokens', texts.account.tokens],
    ...(isContract ? [['contract', texts.account.forms] as const, ['code', texts.names.code] as const] : []),
    ['storage', texts.debug.storage],
  ]
  const wanted = route.query.tab ?? 'history'
  const tab = tabs.some(([id]) => id === wanted) ? wanted : 'history'
  return (
    <>
      <Heading kind={kind}>{isWanted && <HexValue text={toChecksum(address)} isFull />}</Heading>
      {!isWanted && <Empty>{texts.addressWanted}</Empty>}
      {isWanted && (
        <Loaded state={state}>
          {({ balance, nonce, code, creator, native }) => (
            <>
              <Panel>
                <Facts
                  rows={[
                    [
                      texts.names.balance,
                      <>
                        <Amount wei={balance} isFull /> <Proven />
                      </>,
                    ],
                    [
                      texts.names.nonce,
                      <>
                        <span class="num">{group(toNumber(nonce))}</span> <Proven />
                      </>,
                    ],
                    [
                      texts.names.token,
                      token?.name !== undefined && (
                        <>
                          <SafeText text={token.name} max={60} />{' '}
                          <span class="muted">
                            <SafeText text={token.symbol ?? ''} max={16} />
                          </span>
                        </>
                      ),
                    ],
                    [
                      texts.account.abi,
                      abiOf(address) && <SafeText text={abiOf(address)?.name ?? ''} max={60} />,
                    ],
                    [
                      texts.names.code,
                      isContract && (
                        <>
                          <span class="num">{formatBytes((code.length - 2) / 2)}</span> <Proven />
                        </>
                      ),
                    ],
                    [
                      texts.account.actsWith,
                      delegate !== undefined && <AddressLink address={delegate} isFull />,
                    ],
                    [
                      texts.account.created,
                      creator !== null && (
                        <span>
                          {texts.account.by} <AddressLink address={creator.creator} /> {texts.account.in}{' '}
                          <TransactionLink hash={creator.hash} /> <Unproven />
                        </span>
                      ),
                    ],
                    [
                      texts.account.native,
                      native && (
                        <>
                          <HexValue text={native} isFull /> <Unproven />
                        </>
                      ),
                    ],
                  ]}
                />
              </Panel>
              <Tabs
                label={texts.account.parts}
                tabs={tabs}
                active={tab}
                onSelect={(id) =>
                  replaceLink(linkTo('address', [address], { tab: id === 'history' ? undefined : id }))
                }
              >
                {tab === 'history' && <History address={address} />}
                {tab === 'tokens' && <Tokens address={address} />}
                {tab === 'contract' && <ContractForms address={address} />}
                {tab === 'code' && <Raw value={code} />}
                {tab === 'storage' && <StorageLookup address={address} />}
              </Tabs>
            </>
          )}
        </Loaded>
      )}
    </>
  )
}

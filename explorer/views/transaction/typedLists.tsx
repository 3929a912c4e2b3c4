import { toBig } from '../../format/numbers.ts'
import { Panel } from '../../parts/layout.tsx'
import { AddressLink, HexValue, WordValue } from '../../parts/link.tsx'
import { Paged } from '../../parts/paged.tsx'
import type { Transaction } from '../../rpc/types.ts'
import { texts } from '../../texts/texts.ts'

/** A list in a transaction is as long as its gas allows. */
const shownAtFirst = 50

const AccessList = ({ list }: { readonly list: NonNullable<Transaction['accessList']> }) => (
  <Panel title={texts.transaction.accessList}>
    <Paged list={list} first={shownAtFirst} step={shownAtFirst}>
      {(entries) => (
        <ul class="listed">
          {entries.map(({ address, storageKeys }, index) => (
            <li key={`${index}${address}`}>
              <AddressLink address={address} isFull />
              <details>
                <summary>{texts.transaction.slots(storageKeys.length)}</summary>
                <Paged list={storageKeys} first={shownAtFirst} step={10 * shownAtFirst}>
                  {(keys) => (
                    <ul>
                      {keys.map((key, at) => (
                        <li key={`${at}${key}`}>
                          <WordValue word={key} />
                        </li>
                      ))}
                    </ul>
                  )}
                </Paged>
              </details>
            </li>
          ))}
        </ul>
      )}
    </Paged>
  </Panel>
)

const Authorizations = ({ list }: { readonly list: NonNullable<Transaction['authorizationList']> }) => (
  <Panel title={texts.transaction.authorizations}>
    <ul class="listed">
      {list.map(({ address, chainId, nonce }, index) => (
        <li key={`${index}${address}`}>
          {texts.transaction.codeOf} <AddressLink address={address} isFull />{' '}
          <span class="muted">{texts.transaction.authorization(toBig(chainId), toBig(nonce))}</span>
        </li>
      ))}
    </ul>
  </Panel>
)

const Blobs = ({ hashes }: { readonly hashes: NonNullable<Transaction['blobVersionedHashes']> }) => (
  <Panel title={texts.transaction.blobs}>
    <ul class="listed">
      {hashes.map((hash) => (
        <li key={hash}>
          <HexValue text={hash} isFull />
        </li>
      ))}
    </ul>
  </Panel>
)

/** What transactions of some types carry beside the call: an access list, blobs, authorizations. */
export const TypedLists = ({
  transaction: { accessList, authorizationList, blobVersionedHashes },
}: {
  readonly transaction: Transaction
}) => (
  <>
    {!!blobVersionedHashes?.length && <Blobs hashes={blobVersionedHashes} />}
    {!!authorizationList?.length && <Authorizations list={authorizationList} />}
    {!!accessList?.length && <AccessList list={accessList} />}
  </>
)

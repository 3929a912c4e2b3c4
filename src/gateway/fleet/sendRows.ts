import type { Sql } from 'postgres'
import { toHex } from '../../base/encoding/hex.ts'
import type { Database } from '../../base/postgres/database.ts'

/** What became of a transaction: it waits for a block, is in one, or was given up. */
export type SendState = 'waits' | 'included' | 'gone'

export interface SentTransaction {
  readonly hash: Uint8Array
  readonly sender: Uint8Array
  readonly nonce: bigint
  /** In the form in which it travels. */
  readonly raw: Uint8Array
}

/** A transaction of the fleet as another gateway reads it. */
export interface SendRow {
  readonly hash: Uint8Array
  readonly sender: Uint8Array
  readonly raw: Uint8Array
  readonly state: SendState
  readonly keeper: string
  readonly changed: number
}

/** A row as the package gives it: numbers of eight bytes are texts. */
type Stored = Omit<SendRow, 'changed'> & { readonly changed: string }

const toRow = (row: Stored): SendRow => ({ ...row, changed: Number(row.changed) })

/** A transaction that waits, with what tells its place among those that do. */
export type WaitingRow = SendRow & { readonly nonce: string }

/** The most rows of one statement, and the bytes of transactions after which no more rows come. */
const maxRows = 500
const maxBytes = 4 * 1024 * 1024

/** Returns the first of what is to be written: as much as one statement takes. */
export const pageOf = <T>(list: readonly T[], bytesOf: (each: T) => number): readonly T[] => {
  let bytes = 0
  const end = list.findIndex((each, index) => {
    if (index === maxRows || bytes >= maxBytes) return true
    bytes += bytesOf(each)
    return false
  })
  return end < 0 ? list : list.slice(0, end)
}

/** Returns whether what was read is as much as comes at a time, so that there may be more. */
export const isFullPage = (rows: readonly SendRow[]): boolean =>
  rows.length === maxRows || rows.reduce((bytes, { raw }) => bytes + raw.length, 0) >= maxBytes

/** What is removed at a time. */
const maxSwept = 2_000

/** A list of bytes as PostgreSQL reads one. */
const bytesList = (list: readonly Uint8Array[]): string =>
  `{${list.map((bytes) => `"\\\\x${toHex(bytes).slice(2)}"`).join(',')}}`

/** The transactions that the gateways of a fleet have acknowledged, each with the gateway that sends it. */
export class SendRows {
  readonly #database: Database
  readonly #self: string

  constructor(database: Database, self: string) {
    this.#database = database
    this.#self = self
  }

  /** Writes transactions that this gateway keeps from now on. A transaction that another gateway keeps already stays with that. */
  async add(sent: readonly SentTransaction[]): Promise<void> {
    const self = this.#self
    await this.#database.run(
      (sql) => sql`
        with counted as (
          update fleet set changes = changes + ${sent.length} where id = 1 returning changes - ${sent.length} as before
        ), given as (
          select hash, sender, nonce, raw, place from unnest(
            ${bytesList(sent.map(({ hash }) => hash))}::bytea[],
            ${bytesList(sent.map(({ sender }) => sender))}::bytea[],
            ${`{${sent.map(({ nonce }) => nonce).join(',')}}`}::numeric[],
            ${bytesList(sent.map(({ raw }) => raw))}::bytea[]
          ) with ordinality as t (hash, sender, nonce, raw, place)
        )
        insert into sends (hash, sender, nonce, raw, state, keeper, added, changed, changed_at)
        select hash, sender, nonce, raw, 'waits', ${self}, before + place, before + place, now() from given, counted
        on conflict (hash) do update
        set state = 'waits', keeper = excluded.keeper, changed = excluded.changed, changed_at = excluded.changed_at
        where sends.state <> 'waits'`,
    )
  }

  /** Writes what became of transactions that this gateway keeps. */
  async end(hashes: readonly Uint8Array[], state: Exclude<SendState, 'waits'>): Promise<void> {
    const self = this.#self
    await this.#database.run(
      (sql) => sql`
        with counted as (
          update fleet set changes = changes + ${hashes.length} where id = 1
          returning changes - ${hashes.length} as before
        ), given as (
          select hash, place from unnest(${bytesList(hashes)}::bytea[]) with ordinality as t (hash, place)
        )
        update sends set state = ${state}, changed = before + place, changed_at = now()
        from given, counted
        where sends.hash = given.hash and sends.state = 'waits' and sends.keeper = ${self}`,
    )
  }

  /** Returns the number of the newest change. */
  async newest(): Promise<number> {
    const [row] = await this.#database.run(
      (sql) => sql<{ changes: string }[]>`select changes from fleet where id = 1`,
    )
    return Number(row?.changes ?? 0)
  }

  /** Returns what has changed after a number, in order, with the bytes of what others keep. */
  async changedAfter(number: number): Promise<readonly SendRow[]> {
    const self = this.#self
    const rows = await this.#database.run(
      (sql) => sql<Stored[]>`
        with page as (
          select hash, sender, state, keeper, changed,
            case when state = 'waits' and keeper <> ${self} then raw else ''::bytea end as raw
          from sends where changed > ${number} order by changed limit ${maxRows}
        ), counted as (
          select page.*, sum(length(raw)) over (order by changed) - length(raw) as bytes from page
        )
        select hash, sender, raw, state, keeper, changed from counted where bytes < ${maxBytes} order by changed`,
    )
    return rows.map(toRow)
  }

  /** Returns the transactions that were acknowledged after a number, in order, until their bytes are above a bound. */
  async addedAfter(
    number: number,
    limit: number,
    bytes: number,
  ): Promise<readonly (SendRow & { readonly added: number })[]> {
    const rows = await this.#database.run(
      (sql) => sql<(Stored & { readonly added: string })[]>`
        with page as (
          select hash, sender, raw, state, keeper, changed, added from sends
          where added > ${number} order by added limit ${limit}
        ), counted as (
          select page.*, sum(length(raw)) over (order by added) - length(raw) as bytes from page
        )
        select hash, sender, raw, state, keeper, changed, added from counted where bytes < ${bytes} order by added`,
    )
    return rows.map((row) => ({ ...toRow(row), added: Number(row.added) }))
  }

  /** Returns their hashes alone. */
  async hashesAddedAfter(
    number: number,
    limit: number,
  ): Promise<readonly { readonly hash: Uint8Array; readonly added: number }[]> {
    const rows = await this.#database.run(
      (sql) => sql<{ readonly hash: Uint8Array; readonly added: string }[]>`
        select hash, added from sends where added > ${number} order by added limit ${limit}`,
    )
    return rows.map(({ hash, added }) => ({ hash, added: Number(added) }))
  }

  /** Returns what waits behind one that waits, by senders and nonces; the first if none is given. */
  async waiting(after?: Pick<WaitingRow, 'hash' | 'sender' | 'nonce'>): Promise<readonly WaitingRow[]> {
    const { sender, nonce, hash } = after ?? { sender: new Uint8Array(), nonce: '0', hash: new Uint8Array() }
    const rows = await this.#database.run(
      (sql) => sql<(Stored & { readonly nonce: string })[]>`
        with page as (
          select hash, sender, nonce, raw, state, keeper, changed from sends
          where state = 'waits' and (sender, nonce, hash) > (${sender}, ${nonce}, ${hash})
          order by sender, nonce, hash limit ${maxRows}
        ), counted as (
          select page.*, sum(length(raw)) over (order by sender, nonce, hash) - length(raw) as bytes from page
        )
        select hash, sender, nonce, raw, state, keeper, changed from counted where bytes < ${maxBytes}
        order by sender, nonce, hash`,
    )
    return rows.map((row) => ({ ...toRow(row), nonce: row.nonce }))
  }

  /**
   * Takes over what waits of gateways that are not there any more, those of a sender in their order. What another gateway is
   * taking over in this moment is left to it: the database compares the keeper again once it has the lock of a row.
   */
  async claim(): Promise<readonly SendRow[]> {
    const self = this.#self
    const rows = await this.#database.run(
      (sql: Sql) => sql<Stored[]>`
        with gone as materialized (
          select distinct keeper from sends
          where state = 'waits' and keeper <> ${self} and not exists (
            select 1 from members where members.id = sends.keeper
            and members.seen_at > now() - ${leaseSeconds} * interval '1 second')
        ), lost as (
          select hash, sender, nonce, length(raw) as size from sends join gone using (keeper)
          where state = 'waits'
          order by sender, nonce limit ${maxRows}
          for update of sends skip locked
        ), counted as (
          select hash, sum(size) over (order by sender, nonce, hash) - size as bytes from lost
        ), claimed as (
          update sends set keeper = ${self} from counted
          where sends.hash = counted.hash and counted.bytes < ${maxBytes}
          returning sends.*
        )
        select hash, sender, raw, state, keeper, changed from claimed order by sender, nonce`,
    )
    return rows.map(toRow)
  }

  /** Removes what ended a while ago, a part at a time: a statement that takes too long removes nothing. */
  async sweep(): Promise<void> {
    for (let removed = maxSwept; removed === maxSwept; ) {
      const result = await this.#database.run(
        (sql) => sql`
          with ended as (
            select hash from sends
            where state <> 'waits' and changed_at < now() - ${keptSeconds} * interval '1 second'
            order by changed_at limit ${maxSwept}
            for update skip locked
          )
          delete from sends using ended where sends.hash = ended.hash`,
      )
      removed = result.count
    }
  }
}

/** A gateway that did not write that it is there for so long is gone, and others send what it kept. */
export const leaseSeconds = 10

/** Longer than filters of pending transactions live. */
const keptSeconds = 3_600

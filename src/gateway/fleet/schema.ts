import type { Migration } from '../../base/postgres/migrations.ts'

/** Where the tables of a fleet are. */
export const fleetSchema = 'perihelion_fleet'

/**
 * What gateways of one fleet share. Only what PostgreSQL, CockroachDB and YugabyteDB all state that they have is used: no
 * listening, no locks but those of rows.
 */
export const fleetMigrations: readonly Migration[] = [
  {
    version: 1,
    compatibleFrom: 1,
    statements: [
      // One row: the chain of this fleet, and the number of the last change of a transaction.
      `create table fleet (
        id integer primary key,
        chain text not null,
        changes bigint not null
      )`,
      `create table members (
        id text primary key,
        name text not null,
        version text not null,
        height bigint not null,
        trouble text,
        seen_at timestamptz not null
      )`,
      // Each change of a row gives it the next number, under the lock of the row above: whoever reads on from a number
      // misses nothing.
      `create table sends (
        hash bytea primary key,
        sender bytea not null,
        nonce numeric(20) not null,
        raw bytea not null,
        state text not null,
        keeper text not null,
        added bigint not null,
        changed bigint not null,
        changed_at timestamptz not null
      )`,
      'create index sends_added on sends (added)',
      'create index sends_changed on sends (changed)',
      'create index sends_state on sends (state, keeper)',
      `create table filters (
        id bytea primary key,
        owner text not null,
        criteria text not null,
        since_block bigint not null,
        next_block bigint not null,
        version bigint not null,
        poll text not null,
        used_at timestamptz not null
      )`,
      'create index filters_owner on filters (owner)',
      'create index filters_used_at on filters (used_at)',
    ],
  },
  {
    version: 2,
    compatibleFrom: 1,
    statements: [
      // What has ended is removed by its time, and what waits is read in the order of the senders.
      `create index sends_ended on sends (changed_at) where state <> 'waits'`,
      `create index sends_waiting on sends (sender, nonce, hash) where state = 'waits'`,
    ],
  },
  {
    version: 3,
    compatibleFrom: 1,
    statements: [
      // What each API key has used at all gateways. A gateway that knows none of it counts for itself.
      `create table keys (
        id text primary key,
        used numeric not null,
        used_at timestamptz not null
      )`,
    ],
  },
]

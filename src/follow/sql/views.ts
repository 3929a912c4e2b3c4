// Functions and views over logs. What contracts write in a log is theirs: nothing here fails for it, a value that is not there is null.

const two56 = '72057594037927936'

/** A part of a word of 32 bytes as an integer; `from` counts from its first byte. */
const part = (from: number, length: number): string =>
  `('x' || encode(substr(data, place + ${from + 1}, ${length}), 'hex'))::bit(${8 * length})::bigint`

// A body as text would look for our names wherever the asker's search_path leads; an atomic body has them from here.
const functions = [
  `create function uint256(data bytea, place integer default 0) returns numeric(78)
    language sql immutable strict parallel safe as $$
    select case
      when place < 0 or length(data) < place + 32 then null
      when substr(data, place + 1, 24) = '\\x000000000000000000000000000000000000000000000000' and get_byte(data, place + 24) < 128
        then ${part(24, 8)}::numeric
      else (((${part(0, 4)}::numeric * ${two56} + ${part(4, 7)}) * ${two56} + ${part(11, 7)}) * ${two56} + ${part(18, 7)}) * ${two56} + ${part(25, 7)}
    end $$`,
  `comment on function uint256(bytea, integer) is 'The word of 32 bytes at a place of data as a number; null where the data ends.'`,
  `create function list_of_uint256(data bytea, parameter integer) returns table (item integer, value numeric(78))
    language sql immutable strict parallel safe begin atomic
    with head as (select uint256(data, 32 * parameter) as place),
      sized as (select place::integer as place from head where place + 32 <= length(data)),
      counted as (select place, least(uint256(data, place), length(data) / 32)::integer as count from sized)
    select item, uint256(data, place + 32 * item) from counted, generate_series(1, count) as item; end`,
  `comment on function list_of_uint256(bytea, integer) is 'The items of a parameter uint256[] of encoded data; parameters count from 0.'`,
]

const transfer = "'\\xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'::bytea"
const transferSingle = "'\\xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62'::bytea"
const transferBatch = "'\\x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb'::bytea"
const nobody = "'\\x0000000000000000000000000000000000000000'::bytea"

const place = 'block_number, log_index, block_time, transaction_hash, address as token'
const address = (topic: string): string => `substr(${topic}, 13, 20)`

const balanceOf = (view: string, item: string): string => `
  select token, ${item}holder, sum(amount) as balance from (
    select token, ${item}to_address as holder, value as amount from ${view}
    union all
    select token, ${item}from_address, -value from ${view}
  ) as moved where holder <> ${nobody} group by token, ${item}holder having sum(amount) <> 0`

interface View {
  readonly name: string
  readonly about: string
  readonly query: string
}

export const views: readonly View[] = [
  {
    name: 'erc20_transfers',
    about: 'Transfers of ERC-20 tokens, in their smallest unit.',
    query: `select ${place}, ${address('topic1')} as from_address, ${address('topic2')} as to_address, uint256(data) as value
      from logs where topic0 = ${transfer} and topic2 is not null and topic3 is null and length(data) >= 32`,
  },
  {
    name: 'erc721_transfers',
    about: 'Transfers of ERC-721 tokens.',
    query: `select ${place}, ${address('topic1')} as from_address, ${address('topic2')} as to_address, uint256(topic3) as token_id
      from logs where topic0 = ${transfer} and topic3 is not null`,
  },
  {
    name: 'erc1155_transfers',
    about: 'Transfers of ERC-1155 tokens, a row for each item of a batch; item counts from 1.',
    query: `select ${place}, 1 as item, ${address('topic1')} as operator, ${address('topic2')} as from_address,
        ${address('topic3')} as to_address, uint256(data) as token_id, uint256(data, 32) as value
      from logs where topic0 = ${transferSingle} and topic3 is not null and length(data) >= 64
      union all
      select block_number, log_index, block_time, transaction_hash, address, ids.item, ${address('topic1')},
        ${address('topic2')}, ${address('topic3')}, ids.value, amounts.value
      from logs, list_of_uint256(data, 0) as ids join list_of_uint256(data, 1) as amounts using (item)
      where topic0 = ${transferBatch} and topic3 is not null and ids.value is not null and amounts.value is not null`,
  },
  {
    name: 'token_transfers',
    about: 'Transfers of tokens of the three standards.',
    query: `select 'ERC-20' as standard, ${place.replace('address as ', '')}, 1 as item, from_address, to_address,
        null::numeric(78) as token_id, value from erc20_transfers
      union all
      select 'ERC-721', block_number, log_index, block_time, transaction_hash, token, 1, from_address, to_address, token_id, 1
      from erc721_transfers
      union all
      select 'ERC-1155', block_number, log_index, block_time, transaction_hash, token, item, from_address, to_address, token_id, value
      from erc1155_transfers`,
  },
  {
    name: 'erc20_balances',
    about: 'ERC-20 balances by token and holder, computed from transfers.',
    query: balanceOf('erc20_transfers', ''),
  },
  {
    name: 'erc721_owners',
    about: 'Owners of ERC-721 tokens, by the last transfer of each.',
    query: `select token, token_id, owner from (
        select distinct on (token, token_id) token, token_id, to_address as owner from erc721_transfers
        order by token, token_id, block_number desc, log_index desc
      ) as newest where owner <> ${nobody}`,
  },
  {
    name: 'erc1155_balances',
    about: 'ERC-1155 balances by item and holder, computed from transfers.',
    query: balanceOf('erc1155_transfers', 'token_id, '),
  },
]

export const viewStatements: readonly string[] = [
  ...functions,
  ...views.flatMap(({ name, about, query }) => [
    `create view ${name} as ${query}`,
    `comment on view ${name} is '${about}'`,
  ]),
]

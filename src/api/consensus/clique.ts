import { z } from 'zod'
import { optionalParam, param } from '../../rpc/method.ts'
import { plainType } from '../../rpc/wireType.ts'
import { latest, toHashRef } from '../answers/lookup.ts'
import { method } from '../method.ts'
import { notSupported } from '../unsupported/unsupported.ts'
import { Flag, Null } from '../wire/basic.ts'
import { BlockNumber } from '../wire/block.ts'
import { Snapshot, Status } from '../wire/clique.ts'
import { Address, addressText, Hash } from '../wire/data.ts'
import { blockHash, coinbase } from '../wire/exampleValues.ts'
import { Addresses } from '../wire/results.ts'
import { countProposals, signersAt, snapshotAt } from './signers.ts'

const block = optionalParam('block', BlockNumber, 'Height or tag of the block; latest when missing.')
const signer = param('address', Address, 'The validator.')
const snapshot = { name: 'snapshot', type: Snapshot }
const snapshotSample = {
  number: 1,
  hash: blockHash,
  signers: { [coinbase]: {} },
  recents: { '1': coinbase },
  votes: [],
  tally: {},
}

const governed =
  'signers are the validator set of the chain, which changes by staking and governance, not by votes of single nodes'

/** The methods that show the validator set in the format of geth's clique engine. */
export const cliqueMethods = [
  method({
    name: 'clique_getSnapshot',
    summary: 'Gives the validator set at a height.',
    access: 'public',
    params: [block],
    result: snapshot,
    examples: [{ name: 'a single validator', params: ['0x1'], result: snapshotSample }],
    handler: ([ref = latest], { chain }) => snapshotAt(chain, ref),
  }),
  method({
    name: 'clique_getSnapshotAtHash',
    summary: 'Gives the validator set at the block with a hash.',
    access: 'public',
    params: [param('blockHash', Hash, 'Hash of the block.')],
    result: snapshot,
    examples: [{ name: 'a single validator', params: [blockHash], result: snapshotSample }],
    handler: ([hash], { chain }) => snapshotAt(chain, toHashRef(hash)),
  }),
  method({
    name: 'clique_getSigners',
    summary: 'Lists the validators at a height.',
    access: 'public',
    params: [block],
    result: { name: 'signers', type: Addresses },
    examples: [{ name: 'a single validator', params: ['latest'], result: [coinbase] }],
    handler: ([ref = latest], { chain }) => signersAt(chain, ref),
  }),
  method({
    name: 'clique_proposals',
    summary: 'Lists the votes of this node about signers: always none.',
    access: 'public',
    params: [],
    result: { name: 'proposals', type: plainType(z.record(addressText, z.boolean())) },
    examples: [{ name: 'none', params: [], result: {} }],
    handler: () => ({}),
  }),
  method({
    name: 'clique_propose',
    summary: 'Not supported: validators are chosen by governance.',
    access: 'public',
    params: [signer, param('authorize', Flag, 'true to vote for it, false to vote it out.')],
    result: { name: 'nothing', type: Null },
    examples: [],
    handler: notSupported(governed),
  }),
  method({
    name: 'clique_discard',
    summary: 'Not supported: there are no votes to discard.',
    access: 'public',
    params: [signer],
    result: { name: 'nothing', type: Null },
    examples: [],
    handler: notSupported(governed),
  }),
  method({
    name: 'clique_status',
    summary: 'Counts who proposed how many of the last 64 blocks.',
    access: 'public',
    work: 'state',
    params: [],
    result: {
      name: 'status',
      type: Status,
    },
    examples: [
      {
        name: 'a single validator',
        params: [],
        result: { inturnPercent: 100, sealerActivity: { [coinbase]: 64 }, numBlocks: 64 },
      },
    ],
    handler: (_, { chain }) => countProposals(chain),
  }),
]

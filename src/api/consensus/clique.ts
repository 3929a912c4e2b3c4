import { z } from 'zod'
import { optionalParam, param } from '../../rpc/method.ts'
import { plainType } from '../../rpc/wireType.ts'
import { nothing } from '../answers/done.ts'
import { latest, toHashRef } from '../answers/lookup.ts'
import { publicMethod } from '../method.ts'
import { notSupported } from '../unsupported/unsupported.ts'
import { Flag } from '../wire/basic.ts'
import { BlockNumber } from '../wire/block.ts'
import { Address, addressText, Hash, hashText } from '../wire/data.ts'
import { blockHash, coinbase } from '../wire/exampleValues.ts'
import { Addresses } from '../wire/results.ts'
import { countProposals, signersAt, snapshotAt } from './signers.ts'

/** geth's snapshot. There are no votes on signers here, so that votes and tally are empty. */
const Snapshot = plainType(
  z.object({
    number: z.int(),
    hash: hashText,
    signers: z.record(addressText, z.object({})).describe('The validators, as the names of members'),
    recents: z.record(z.string(), addressText).describe('Who proposed the last blocks, by their heights'),
    votes: z.array(z.never()),
    tally: z.record(z.string(), z.never()),
  }),
)

const Status = plainType(
  z.object({
    inturnPercent: z.number().describe('How many of the blocks came from the validator whose turn it was'),
    sealerActivity: z.record(addressText, z.int()).describe('How many blocks each validator proposed'),
    numBlocks: z.int(),
  }),
)

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
  publicMethod({
    name: 'clique_getSnapshot',
    summary: 'Gives the validator set at a height.',
    params: [block],
    result: snapshot,
    examples: [{ name: 'a single validator', params: ['0x1'], result: snapshotSample }],
    handler: ([ref = latest], { chain }) => snapshotAt(chain, ref),
  }),
  publicMethod({
    name: 'clique_getSnapshotAtHash',
    summary: 'Gives the validator set at the block with a hash.',
    params: [param('blockHash', Hash, 'Hash of the block.')],
    result: snapshot,
    examples: [{ name: 'a single validator', params: [blockHash], result: snapshotSample }],
    handler: ([hash], { chain }) => snapshotAt(chain, toHashRef(hash)),
  }),
  publicMethod({
    name: 'clique_getSigners',
    summary: 'Lists the validators at a height.',
    params: [block],
    result: { name: 'signers', type: Addresses },
    examples: [{ name: 'a single validator', params: ['latest'], result: [coinbase] }],
    handler: ([ref = latest], { chain }) => signersAt(chain, ref),
  }),
  publicMethod({
    name: 'clique_proposals',
    summary: 'Lists the votes of this node about signers: always none.',
    params: [],
    result: { name: 'proposals', type: plainType(z.record(addressText, z.boolean())) },
    examples: [{ name: 'none', params: [], result: {} }],
    handler: () => ({}),
  }),
  publicMethod({
    name: 'clique_propose',
    summary: 'Not supported: validators are chosen by governance.',
    params: [signer, param('authorize', Flag, 'true to vote for it, false to vote it out.')],
    result: nothing,
    examples: [],
    handler: notSupported(governed),
  }),
  publicMethod({
    name: 'clique_discard',
    summary: 'Not supported: there are no votes to discard.',
    params: [signer],
    result: nothing,
    examples: [],
    handler: notSupported(governed),
  }),
  publicMethod({
    name: 'clique_status',
    summary: 'Counts who proposed how many of the last 64 blocks.',
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

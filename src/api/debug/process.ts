import { z } from 'zod'
import { optionalParam, param } from '../../rpc/method.ts'
import { plain } from '../../rpc/wire.ts'
import { method } from '../method.ts'
import { never, notYet } from '../unsupported.ts'
import { anObject, Nothing, Text } from '../wire/basic.ts'
import { wholeNumber } from '../wire/quantity.ts'

/**
 * geth's methods for its own runtime, mapped to the one that is here: V8 and Node. All of them are private, since they
 * steer or expose the process.
 */

const file = param(
  'file',
  plain(z.string({ error: 'expected a file name' }).min(1, { error: 'expected a file name' })),
  'Where to write, under profiles in the home folder.',
)
const seconds = param(
  'seconds',
  plain(wholeNumber(0, 86_400, 'a whole number of seconds')),
  'How long to measure.',
)
const rate = param(
  'rate',
  plain(wholeNumber(0, Number.MAX_SAFE_INTEGER, 'a whole number, 0 for off')),
  'One sample in how many; 0 turns it off.',
)
const nothing = { name: 'nothing', type: Nothing }

/** What differs between methods of this family is what they measure. */
const steering = { access: 'private', handler: notYet, examples: [] } as const

export const processMethods = [
  method({
    ...steering,
    name: 'debug_memStats',
    summary: 'Gives the memory of the process: heap spaces, external memory, resident size.',
    params: [],
    result: { name: 'figures', type: anObject('Bytes and counts, by name') },
  }),
  method({
    ...steering,
    name: 'debug_gcStats',
    summary: 'Gives how often and how long the garbage collector ran.',
    params: [],
    result: { name: 'figures', type: anObject('Counts and pauses, by kind') },
  }),
  method({
    ...steering,
    name: 'debug_freeOSMemory',
    summary: 'Collects garbage now, so that memory can go back to the system.',
    params: [],
    result: nothing,
  }),
  method({
    ...steering,
    name: 'debug_setGCPercent',
    summary: 'Sets how far the heap may grow between collections, in percent, and gives the value before.',
    params: [
      param('percent', plain(wholeNumber(-1, 100_000, 'a percentage, -1 for off')), 'The new target.'),
    ],
    result: { name: 'before', type: plain(z.int()) },
  }),
  method({
    ...steering,
    name: 'debug_stacks',
    summary: 'Gives the stacks of all threads as text.',
    params: [optionalParam('filter', Text, 'Only stacks that hold this text.')],
    result: { name: 'stacks', type: Text },
  }),
  method({
    ...steering,
    name: 'debug_cpuProfile',
    summary: 'Profiles the CPU for some seconds into a file.',
    params: [file, seconds],
    result: nothing,
  }),
  method({
    ...steering,
    name: 'debug_startCPUProfile',
    summary: 'Starts a CPU profile; debug_stopCPUProfile writes it.',
    params: [file],
    result: nothing,
  }),
  method({
    ...steering,
    name: 'debug_stopCPUProfile',
    summary: 'Ends the CPU profile that runs and writes its file.',
    params: [],
    result: nothing,
  }),
  method({
    ...steering,
    name: 'debug_goTrace',
    summary: 'Records trace events of the runtime for some seconds into a file.',
    params: [file, seconds],
    result: nothing,
  }),
  method({
    ...steering,
    name: 'debug_startGoTrace',
    summary: 'Starts to record trace events of the runtime; debug_stopGoTrace writes them.',
    params: [file],
    result: nothing,
  }),
  method({
    ...steering,
    name: 'debug_stopGoTrace',
    summary: 'Ends the recording of trace events and writes its file.',
    params: [],
    result: nothing,
  }),
  method({
    ...steering,
    name: 'debug_blockProfile',
    summary: 'Measures for some seconds what holds up the event loop, into a file.',
    params: [file, seconds],
    result: nothing,
  }),
  method({
    ...steering,
    name: 'debug_setBlockProfileRate',
    summary: 'Sets how often the delay of the event loop is sampled.',
    params: [rate],
    result: nothing,
  }),
  method({
    ...steering,
    name: 'debug_writeBlockProfile',
    summary: 'Writes the delays of the event loop measured so far to a file.',
    params: [file],
    result: nothing,
  }),
  method({
    ...steering,
    name: 'debug_mutexProfile',
    summary: 'Measures for some seconds how long threads wait for locks, into a file.',
    params: [file, seconds],
    result: nothing,
  }),
  method({
    ...steering,
    name: 'debug_setMutexProfileFraction',
    summary: 'Sets which share of lock waits is recorded.',
    params: [rate],
    result: nothing,
  }),
  method({
    ...steering,
    name: 'debug_writeMutexProfile',
    summary: 'Writes the lock waits measured so far to a file.',
    params: [file],
    result: nothing,
  }),
  method({
    ...steering,
    name: 'debug_writeMemProfile',
    summary: 'Writes a heap profile to a file.',
    params: [file],
    result: nothing,
  }),
  method({
    ...steering,
    name: 'debug_verbosity',
    summary: 'Sets how much is logged, from 0 (nothing) to 5 (everything).',
    params: [param('level', plain(wholeNumber(0, 5, 'a level from 0 to 5')), 'The new level.')],
    result: nothing,
  }),
  method({
    ...steering,
    name: 'debug_vmodule',
    summary: 'Sets how much single parts of the program log.',
    params: [param('pattern', Text, 'Parts and levels, such as "rpc/*=5,store=4".')],
    result: nothing,
  }),
  method({
    name: 'debug_backtraceAt',
    summary: 'Not supported: log lines have no stack of their own here.',
    access: 'private',
    params: [param('location', Text, 'File and line.')],
    result: nothing,
    examples: [],
    handler: never(
      'the runtime has no stack traces by log line; use debug_stacks, or debug_vmodule for more logging',
    ),
  }),
]

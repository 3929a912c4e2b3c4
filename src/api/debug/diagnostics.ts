import { z } from 'zod'
import { isProfileName } from '../../base/profiling/profileFolder.ts'
import { optionalParam, param } from '../../rpc/method.ts'
import { boundedString, inputType, plainType, type WireType } from '../../rpc/wireType.ts'
import { nothing } from '../answers/done.ts'
import type { ApiContext } from '../context.ts'
import { privateMethod } from '../method.ts'
import { notSupported } from '../unsupported/unsupported.ts'
import { describedObject, Text } from '../wire/basic.ts'
import { gcStats, memoryStats, stacks } from '../wire/exampleValues.ts'
import { wholeNumber } from '../wire/quantity.ts'

/**
 * geth's methods for the Go runtime, mapped to V8 and Node. All of them are private, because they control or expose the
 * process.
 */

const nameWanted = 'expected a file name: letters, digits, dots, dashes and underlines, at most 100'
const file = param(
  'file',
  plainType(
    z
      .string({ error: nameWanted })
      .refine(isProfileName, { error: nameWanted })
      .meta({ description: 'A plain file name; its extension is added where it is missing' }),
  ),
  'What the file in the folder profiles of the home is called.',
)
const seconds = param(
  'seconds',
  plainType(wholeNumber(0, 3600, 'a whole number of seconds, at most 3600')),
  'How long to measure; the time limit of calls ends it too.',
)
const Files: WireType<readonly string[]> = plainType(
  z.array(z.string()).describe('Absolute paths, that of the main thread first'),
)
const files = { name: 'files', type: Files }

const written = (name: string) => [`/var/lib/perihelion/profiles/${name}`]

/** The members of the diagnostics that measure for a time. */
type Timed = 'cpu' | 'trace' | 'block' | 'mutex'

/** Defines a method that measures for some seconds and writes a file. */
const defineTimedProfile = (name: string, diagnostic: Timed, summary: string, sample: string) =>
  privateMethod({
    name,
    summary,
    params: [file, seconds],
    result: files,
    examples: [{ name: 'ten seconds', params: [sample, 10], result: written(sample) }],
    handler: ([name, length], { diagnostics }, { signal }) =>
      diagnostics[diagnostic].measure(name, length * 1000, signal),
  })

const defineStart = (name: string, diagnostic: 'cpu' | 'trace', summary: string, sample: string) =>
  privateMethod({
    name,
    summary,
    params: [file],
    result: nothing,
    examples: [{ name: 'started', params: [sample], result: null }],
    handler: ([name], { diagnostics }) => diagnostics[diagnostic].start(name),
  })

/** Defines a method that writes what was measured. */
const defineWrite = (
  name: string,
  write: (context: ApiContext, file: string) => Promise<readonly string[]>,
  summary: string,
  sample: string,
) =>
  privateMethod({
    name,
    summary,
    params: [file],
    result: files,
    examples: [{ name: 'written', params: [sample], result: written(sample) }],
    handler: ([name], context) => write(context, name),
  })

const defineStop = (name: string, diagnostic: 'cpu' | 'trace', summary: string, sample: string) =>
  privateMethod({
    name,
    summary,
    params: [],
    result: files,
    examples: [{ name: 'written', params: [], result: written(sample) }],
    handler: (_, { diagnostics }) => diagnostics[diagnostic].stop(),
  })

const defineSetRate = (name: string, diagnostic: 'block' | 'mutex', summary: string, about: string) =>
  privateMethod({
    name,
    summary,
    params: [
      param('rate', plainType(wholeNumber(0, Number.MAX_SAFE_INTEGER, 'a whole number, 0 for off')), about),
    ],
    result: nothing,
    examples: [{ name: 'everything', params: [1], result: null }],
    handler: ([rate], { diagnostics }) => diagnostics[diagnostic].setRate(rate),
  })

const levelsWanted = 'expected parts and levels from 0 to 5 such as "rpc=5,engine/*=4", or nothing'

/** The levels in geth's notation, with components of this program instead of files. */
const ComponentLevels = inputType(
  boundedString(500, levelsWanted)
    .regex(/^(?:[a-z*/]+=[0-5](?:,[a-z*/]+=[0-5])*)?$/, { error: levelsWanted })
    .describe('Parts and levels')
    .transform((text) =>
      text
        .split(',')
        .filter((item) => item !== '')
        .map((item) => ({ pattern: item.slice(0, -2), verbosity: Number(item.slice(-1)) })),
    ),
)

export const processMethods = [
  privateMethod({
    name: 'debug_memStats',
    summary: 'Gives the memory of the process: heap, heap spaces, external memory, resident size, threads.',
    params: [],
    result: { name: 'figures', type: describedObject('Bytes and counts, by name') },
    examples: [{ name: 'a small node', params: [], result: memoryStats }],
    handler: async (_, { diagnostics: instruments }) => ({ ...(await instruments.memory()) }),
  }),
  privateMethod({
    name: 'debug_gcStats',
    summary: 'Gives how often and how long the garbage collector held up the main thread.',
    params: [],
    result: { name: 'figures', type: describedObject('Counts and pauses, by kind') },
    examples: [{ name: 'two collections', params: [], result: gcStats }],
    handler: (_, { diagnostics: instruments }) => ({ ...instruments.garbage() }),
  }),
  privateMethod({
    name: 'debug_freeOSMemory',
    summary: 'Collects garbage in all threads now, so that memory can go back to the system.',
    params: [],
    result: nothing,
    examples: [{ name: 'collected', params: [], result: null }],
    handler: (_, { diagnostics: instruments }) => instruments.collectGarbage(),
  }),
  privateMethod({
    name: 'debug_setGCPercent',
    summary:
      'Sets how far the heap may grow between full collections, in percent, and gives the value before; -1 leaves it to the runtime.',
    params: [
      param(
        'percent',
        plainType(
          wholeNumber(-1, 100_000, 'a percentage from 1 to 100000, or -1').refine(
            (percent) => percent !== 0,
            {
              error: 'expected a percentage from 1 to 100000, or -1',
            },
          ),
        ),
        'The new target.',
      ),
    ],
    result: { name: 'before', type: plainType(z.int()) },
    examples: [{ name: 'twice as large', params: [100], result: -1 }],
    handler: ([percent], { diagnostics: instruments }) => instruments.setHeapGrowth(percent),
  }),
  privateMethod({
    name: 'debug_stacks',
    summary: 'Gives the stacks of all threads as text.',
    params: [optionalParam('filter', Text, 'Only threads whose stacks hold this text.')],
    result: { name: 'stacks', type: Text },
    examples: [{ name: 'one busy thread', params: [], result: stacks }],
    handler: ([filter], { diagnostics: instruments }) => instruments.stacks(filter),
  }),
  defineTimedProfile(
    'debug_cpuProfile',
    'cpu',
    'Profiles the CPU of all threads for some seconds, into a file for each.',
    'cpu.cpuprofile',
  ),
  defineStart(
    'debug_startCPUProfile',
    'cpu',
    'Starts a CPU profile of all threads; debug_stopCPUProfile writes it.',
    'cpu.cpuprofile',
  ),
  defineStop(
    'debug_stopCPUProfile',
    'cpu',
    'Ends the CPU profile that runs and writes its files.',
    'cpu.cpuprofile',
  ),
  defineTimedProfile(
    'debug_goTrace',
    'trace',
    'Records trace events of the runtime for some seconds into a file.',
    'trace.json',
  ),
  defineStart(
    'debug_startGoTrace',
    'trace',
    'Starts to record trace events of the runtime; debug_stopGoTrace writes them.',
    'trace.json',
  ),
  defineStop(
    'debug_stopGoTrace',
    'trace',
    'Ends the recording of trace events and writes its file.',
    'trace.json',
  ),
  defineTimedProfile(
    'debug_blockProfile',
    'block',
    'Measures for some seconds what holds up the event loop, into a file.',
    'block.json',
  ),
  defineSetRate(
    'debug_setBlockProfileRate',
    'block',
    'Sets which delays of the event loop are recorded from now on.',
    'Nanoseconds: longer delays are all recorded, shorter ones as often as their share of it; 0 turns it off.',
  ),
  defineWrite(
    'debug_writeBlockProfile',
    ({ diagnostics: instruments }, name) => instruments.block.write(name),
    'Writes the delays of the event loop measured since the rate was set to a file.',
    'block.json',
  ),
  defineTimedProfile(
    'debug_mutexProfile',
    'mutex',
    'Measures for some seconds how long work waits for locks and workers, into a file.',
    'mutex.json',
  ),
  defineSetRate(
    'debug_setMutexProfileFraction',
    'mutex',
    'Sets for which share of the waits the stack of who waits is kept.',
    'One wait in so many; 0 turns it off.',
  ),
  defineWrite(
    'debug_writeMutexProfile',
    ({ diagnostics: instruments }, name) => instruments.mutex.write(name),
    'Writes the waits for locks and workers since the start to a file.',
    'mutex.json',
  ),
  defineWrite(
    'debug_writeMemProfile',
    ({ diagnostics: instruments }, name) => instruments.writeHeapProfile(name),
    'Writes where the memory in use was allocated, of all threads, to a file for each.',
    'heap.heapprofile',
  ),
  privateMethod({
    name: 'debug_verbosity',
    summary: 'Sets how much is logged, from 0 (nothing) to 5 (everything).',
    params: [param('level', plainType(wholeNumber(0, 5, 'a level from 0 to 5')), 'The new level.')],
    result: nothing,
    examples: [{ name: 'as at the start', params: [3], result: null }],
    handler: ([level], { log }) => log.setVerbosity(level),
  }),
  privateMethod({
    name: 'debug_vmodule',
    summary: 'Sets which parts of the program log more than the rest.',
    params: [
      param('pattern', ComponentLevels, 'Parts and levels, such as "rpc=5,engine/*=4"; empty for none.'),
    ],
    result: nothing,
    examples: [{ name: 'everything about calls', params: ['rpc=5'], result: null }],
    handler: ([levels], { log }) => log.setComponentLevels(levels),
  }),
  privateMethod({
    name: 'debug_backtraceAt',
    summary: 'Not supported: log lines have no stack of their own here.',
    params: [param('location', Text, 'File and line.')],
    result: nothing,
    examples: [],
    handler: notSupported(
      'the runtime has no stack traces by log line; use debug_stacks, or debug_vmodule for more logging',
    ),
  }),
]

/** Every tracer with the settings that change what it says. */
export const tracers: Readonly<Record<string, object>> = {
  struct: {},
  'struct with memory': { enableMemory: true, enableReturnData: true },
  'struct without stack and storage': { disableStack: true, disableStorage: true, enableReturnData: true },
  'struct cut': { limit: 2_000 },
  calls: { tracer: 'callTracer' },
  'calls with logs': { tracer: 'callTracer', tracerConfig: { withLog: true } },
  'top call': { tracer: 'callTracer', tracerConfig: { onlyTopCall: true, withLog: true } },
  prestate: { tracer: 'prestateTracer' },
  'prestate difference': { tracer: 'prestateTracer', tracerConfig: { diffMode: true } },
  'prestate in short': {
    tracer: 'prestateTracer',
    tracerConfig: { diffMode: true, disableCode: true, disableStorage: true },
  },
  'prestate with empty accounts': {
    tracer: 'prestateTracer',
    tracerConfig: { includeEmpty: true, disableCode: true },
  },
  flat: { tracer: 'flatCallTracer' },
  'flat in the words of Parity': {
    tracer: 'flatCallTracer',
    tracerConfig: { convertParityErrors: true, includePrecompiles: true },
  },
  selectors: { tracer: '4byteTracer' },
  nothing: { tracer: 'noopTracer' },
  'keccak preimages': { tracer: 'keccak256PreimageTracer' },
  'ERC-7562': { tracer: 'erc7562Tracer', tracerConfig: { withLog: true } },
  several: {
    tracer: 'muxTracer',
    tracerConfig: { callTracer: { withLog: true }, '4byteTracer': null, prestateTracer: { diffMode: true } },
  },
  opcount: { tracer: 'opcountTracer' },
  'instructions alone': { tracer: 'unigramTracer' },
  'instructions in pairs': { tracer: 'bigramTracer' },
  'instructions in threes': { tracer: 'trigramTracer' },
  // Geth runs it as a script, which takes seconds.
  evmdis: { tracer: 'evmdisTracer', timeout: '120s' },
  'selectors as before': { tracer: '4byteTracerLegacy' },
  'nothing as before': { tracer: 'noopTracerLegacy' },
}

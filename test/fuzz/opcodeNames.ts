import { opcodeName } from '../../src/evm/tracing/opcodeNames.ts'

/** Names that traces know and no fork here has. */
const neverForked = new Set(
  'SLOTNUM DATALOAD DATALOADN DATASIZE DATACOPY RJUMP RJUMPI RJUMPV CALLF RETF JUMPF DUPN SWAPN EXCHANGE EOFCREATE RETURNCONTRACT RETURNDATALOAD EXTCALL EXTDELEGATECALL EXTSTATICCALL'.split(
    ' ',
  ),
)

/** Every instruction of the newest fork. */
export const definedOpcodes: readonly number[] = Array.from({ length: 256 }, (_, op) => op).filter((op) => {
  const name = opcodeName(op)
  return !name.endsWith('not defined') && !neverForked.has(name)
})

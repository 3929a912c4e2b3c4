import { StoreExport } from '../../gateway/snapshot/exportStore.ts'
import { dataFile } from '../../home/layout.ts'

/** Opens the blocks of a gateway's home for a snapshot, also while the gateway runs. */
export const openBlocks = (home: string): Promise<StoreExport> => StoreExport.open(dataFile(home))

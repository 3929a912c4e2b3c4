import { methods } from '../src/api/methods.ts'
import { notImplemented } from '../src/api/unsupported/unsupported.ts'
import { toHex } from '../src/base/encoding/hex.ts'
import { version } from '../src/base/version.ts'
import { validatorContractAddress } from '../src/chain/validators/contract.ts'
import { scheduleContractAddress } from '../src/chain/validators/schedule.ts'
import { renderSettingsDocs } from '../src/config/docs.ts'
import { createOpenRpcDocument } from '../src/rpc/openrpc.ts'
import { choiceNameFiles } from './choiceNames.ts'
import { writeDashboard } from './dashboard.ts'
import { renderMethodsPage } from './methodsPage.ts'
import { renderMethodTypes } from './methodTypes.ts'
import { renderMetricsPage } from './metricsPage.ts'
import { scheduleContractFiles, validatorContractFiles } from './validatorContract.ts'

/** Every file that is made from a table of the source or by a compiler, by its path from the project's root. */
export const generatedFiles = (): Readonly<Record<string, string>> => {
  const document = createOpenRpcDocument(methods, version)
  const pending = new Set(methods.filter(({ handler }) => handler === notImplemented).map(({ name }) => name))
  return {
    'docs/methods.md': renderMethodsPage(document, (name) => !pending.has(name)),
    'docs/openrpc.json': `${JSON.stringify(document, null, 2)}\n`,
    'docs/grafana/perihelion.json': writeDashboard(),
    'docs/metrics.md': renderMetricsPage(),
    'docs/settings.md': renderSettingsDocs(),
    'src/service/rpc/gen/methodTypes.ts': renderMethodTypes(document),
    ...choiceNameFiles(),
    ...validatorContractFiles(toHex(validatorContractAddress)),
    ...scheduleContractFiles(toHex(scheduleContractAddress)),
  }
}

import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import { decodeUtf8 } from '../../base/encoding/utf8.ts'
import { revertReason } from '../../chain/abi/revertReason.ts'
import { fillFees } from '../../chain/fees/defaultFees.ts'
import type { CallOutcome } from '../../chain/port/executor.ts'
import { simulationCodes } from '../../chain/state/simulation.ts'
import type { QuestionOutcome } from '../../execute/question/runQuestion.ts'
import type { Session } from '../chain.ts'
import { codes, LightError } from '../lightError.ts'
import { suggestTip } from '../methods/fees.ts'
import type { LightMethod, LightMethods } from '../methods/method.ts'
import { blockAt } from '../methods/params.ts'
import { callOf, type GivenQuestion, simulationOf, withFees } from './question.ts'
import { QuestionRunner } from './runQuestion.ts'

const failureOf = ({ isRevert, error, output }: CallOutcome): LightError => {
  if (!isRevert) return new LightError(codes.failed, error ?? 'execution failed')
  const reason = revertReason(output)
  const message = reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`
  return new LightError(codes.reverted, message, toHex(output))
}

/** Returns what a node answers with this outcome. */
const resultOf = (ran: QuestionOutcome): unknown => {
  switch (ran.kind) {
    case 'call':
      if (!ran.outcome.isSuccess) throw failureOf(ran.outcome)
      return toHex(ran.outcome.output)
    case 'estimate':
      if (ran.outcome.failure !== undefined) throw failureOf(ran.outcome.failure)
      return toQuantity(ran.outcome.gas)
    case 'accessList': {
      const { accessList, gasUsed, error } = ran.outcome
      return {
        accessList: accessList.map(({ address, storageKeys }) => ({
          address: toHex(address),
          storageKeys: storageKeys.map(toHex),
        })),
        ...(error === undefined ? {} : { error }),
        gasUsed: toQuantity(gasUsed),
      }
    }
    case 'simulate': {
      const { json, failure } = ran.outcome
      if (failure !== undefined) throw new LightError(simulationCodes[failure.kind], failure.message)
      return JSON.parse(decodeUtf8(json))
    }
  }
}

/** Opens the EVM, and returns the methods that run on it. */
export const openCallMethods = async (gasCap: bigint, timeoutMs: number): Promise<LightMethods> => {
  const runner = await QuestionRunner.open(gasCap, timeoutMs)
  const run = async (session: Session, params: readonly unknown[], given: GivenQuestion): Promise<unknown> =>
    resultOf(await runner.run(session, await session.header(blockAt(params, 1)), given))
  const call =
    (method: string, kind: 'call' | 'estimate'): LightMethod =>
    (session, params) =>
      run(session, params, callOf(method, kind, params))
  return {
    eth_call: call('eth_call', 'call'),
    eth_estimateGas: call('eth_estimateGas', 'estimate'),
    eth_createAccessList: async (session, params) => {
      const given = callOf('eth_createAccessList', 'accessList', params)
      if (given.question.kind === 'simulate') throw new Error('it is a call')
      const { header } = await session.header(blockAt(params, 1))
      const { request } = given.question.call
      const filled = await fillFees(request, header.baseFeePerGas, () => suggestTip(session))
      return run(session, params, withFees(given, filled))
    },
    eth_simulateV1: (session, params) => run(session, params, simulationOf(params)),
  }
}

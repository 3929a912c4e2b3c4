import * as metaSchema from '@open-rpc/meta-schema'
import { Ajv, type ValidateFunction } from 'ajv'

/** Checks documents against the schema of OpenRPC, whose web reference is replaced by JSON Schema draft 7. */
export const createOpenRpcValidator = (): ValidateFunction => {
  // The types of the package do not declare the schema.
  const { openrpcDocument } = metaSchema as unknown as { openrpcDocument: object }
  const local = JSON.stringify(openrpcDocument)
    .replace(
      '"https://meta.json-schema.tools/#/definitions/JSONSchemaObject/properties/$ref"',
      '"#/definitions/anyText"',
    )
    .replaceAll('"https://meta.json-schema.tools"', '"http://json-schema.org/draft-07/schema#"')
    .replace('"$schema":"https://meta.json-schema.tools/",', '')
    .replace('"definitions":{', '"definitions":{"anyText":{"type":"string"},')
  return new Ajv({ strict: false, validateFormats: false }).compile(JSON.parse(local) as object)
}

import { type ContractDocument, openContract } from './document.ts';
import { isObject, own } from './json.ts';
import { type Operation, operationsOf } from './operations.ts';
import { type Schemas, schemasOf } from './schema-nodes.ts';

/** One of the two documents, read. */
export interface Contract {
  readonly document: ContractDocument;
  readonly schemas: Schemas;
  /** By key, which is the same for the same operation in both documents. */
  readonly operations: ReadonlyMap<string, Operation>;
}

/** @throws {ContractInvalid} */
export function readContract(value: unknown, label: string): Contract {
  const document = openContract(value, label);
  for (const member of ['paths', 'webhooks', 'components']) {
    const given = own(document.root, member);
    if (given !== undefined && !isObject(given)) {
      throw document.invalid(`the member "${member}" must be an object`);
    }
  }
  return { document, schemas: schemasOf(document), operations: operationsOf(document) };
}

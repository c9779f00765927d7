import type { ServerResponse } from 'node:http';
import type { Caller } from '@cls/shared/access/caller';
import type { ReadLog } from '../reads/read-log.ts';
import type { ReadRecord } from '../reads/read-record.ts';
import type { ReadByAnswer } from '../versions/api-version.ts';

/** What is known of a read before its answer. */
interface ReadRequest
  extends Pick<ReadRecord, 'at' | 'requestId' | 'address' | 'version' | 'operation' | 'path'> {
  readonly caller: Caller;
  /** As it was sent, without the question mark. */
  readonly query: string;
}

/** Somebody may try which deals there are. */
const NOT_THERE = 404;

/**
 * Records a read. To be called when its answer has ended: then the status and the number of items are
 * known, of an export that its caller broke off too. Other refusals than 404 let nobody read anything,
 * nor does a request whose caller was gone before the answer began; the access log has a line for them.
 *
 * @param answer undefined where there is none, as of a refusal
 */
export function recordRead(
  readLog: Pick<ReadLog, 'record'>,
  res: ServerResponse,
  request: ReadRequest,
  answer: ReadByAnswer | undefined,
): void {
  const { headersSent: hasBegun, statusCode: status, writableFinished: complete } = res;
  if (!hasBegun) return;
  if (answer === undefined && status !== NOT_THERE) return;
  const { caller } = request;
  // Each member by name: Node 20 takes long to spread objects, and this runs for each answer.
  readLog.record({
    at: request.at,
    requestId: request.requestId,
    subject: caller.subject,
    clientId: caller.clientId,
    accountType: caller.accountType,
    customer: caller.customer,
    address: request.address,
    version: request.version,
    operation: request.operation,
    path: request.path,
    question: answer?.question ?? request.query,
    status,
    items: status === 200 && res.req.method === 'GET' ? answer?.items() : undefined,
    complete,
  });
}

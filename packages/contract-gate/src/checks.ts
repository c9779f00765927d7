/** The six kinds of incompatible change, as the specification counts them. */
export type Rule = 'R1' | 'R2' | 'R3' | 'R4' | 'R5' | 'R6';

/** Who sends what is compared: the API's client, or the API. */
export type Direction = 'request' | 'response';

type Verdict = Rule | 'compatible';

interface Check {
  /** One verdict, or one for what clients send and one for what they receive. */
  readonly verdict: Verdict | Readonly<Record<Direction, Verdict>>;
  /** Why callers notice or do not. `%` stands for the subject. */
  readonly why: string | Readonly<Record<Direction, string>>;
}

/** What every check says: the one place where a kind of difference becomes a rule. */
const CHECKS = {
  'operation-removed': {
    verdict: 'R1',
    why: 'callers of this operation get 404 or 405 from now on',
  },
  'operation-added': { verdict: 'compatible', why: 'nobody calls a new operation yet' },
  'base-path-changed': {
    verdict: 'R1',
    why: 'the operation is no longer found under the path that callers use',
  },
  'operation-id-changed': {
    verdict: 'compatible',
    why: 'it is not sent; generated clients name their function after it',
  },
  deprecated: { verdict: 'compatible', why: 'what is marked as deprecated still works' },
  'link-changed': { verdict: 'compatible', why: 'links describe; they are not sent' },
  'unknown-member': {
    verdict: 'R5',
    why: 'the gate does not know %, so it cannot say that callers are safe',
  },
  'security-changed': {
    verdict: 'R2',
    why: 'callers need other credentials or scopes than before, or fewer; both change who may do what',
  },
  'security-scheme-changed': {
    verdict: 'R2',
    why: 'the definition of the scheme % decides how callers prove what they may do',
  },
  'security-scheme-removed': {
    verdict: 'R2',
    why: 'the scheme % is no longer defined; its credentials lose their meaning',
  },
  'security-scheme-added': { verdict: 'compatible', why: 'nothing that exists refers to it' },
  'scope-removed': { verdict: 'R2', why: 'tokens with the scope % lose its meaning' },
  'scope-added': { verdict: 'compatible', why: 'nothing that exists refers to it' },
  'scope-described-anew': {
    verdict: 'R2',
    why: 'the description of the scope % is its definition: nothing else says what it allows',
  },
  'permission-definition-changed': {
    verdict: 'R2',
    why: '% defines who may do what or see what',
  },
  'parameter-removed': {
    verdict: 'R3',
    why: {
      request: 'callers that send % are refused or ignored',
      response: 'callers that read % miss it',
    },
  },
  'parameter-added': { verdict: 'compatible', why: 'callers may leave it out' },
  'required-parameter-added': {
    verdict: { request: 'R4', response: 'compatible' },
    why: {
      request: 'requests without % were complete before and are refused now',
      response: 'callers get more than before',
    },
  },
  'parameter-became-required': {
    verdict: { request: 'R4', response: 'compatible' },
    why: {
      request: 'requests without % were complete before and are refused now',
      response: 'callers always get it now',
    },
  },
  'parameter-became-optional': {
    verdict: { request: 'compatible', response: 'R5' },
    why: {
      request: 'callers that send it still may',
      response: 'callers that rely on % may miss it',
    },
  },
  'serialization-changed': {
    verdict: 'R5',
    why: '% decides how the value is written, so the same text means something else',
  },
  'empty-value-refused': {
    verdict: { request: 'R6', response: 'compatible' },
    why: 'the parameter without a value was accepted before',
  },
  'empty-value-allowed': {
    verdict: { request: 'compatible', response: 'R5' },
    why: 'the parameter may come without a value',
  },
  'body-removed': {
    verdict: 'R3',
    why: {
      request: 'callers that send a body are refused or ignored',
      response: 'callers that read the body miss it',
    },
  },
  'body-added': { verdict: 'compatible', why: 'callers may leave the body out' },
  'required-body-added': {
    verdict: { request: 'R4', response: 'compatible' },
    why: {
      request: 'requests without a body were complete before and are refused now',
      response: 'callers get more than before',
    },
  },
  'body-became-required': {
    verdict: { request: 'R4', response: 'compatible' },
    why: {
      request: 'requests without a body were complete before and are refused now',
      response: 'callers always get the body now',
    },
  },
  'body-became-optional': {
    verdict: { request: 'compatible', response: 'R5' },
    why: {
      request: 'callers that send a body still may',
      response: 'callers that rely on the body may miss it',
    },
  },
  'media-type-removed': {
    verdict: 'R3',
    why: {
      request: 'bodies of type % are refused now',
      response: 'callers that read % no longer get it',
    },
  },
  'media-type-added': { verdict: 'compatible', why: 'callers get and send what they did before' },
  'pushed-media-type-added': {
    verdict: 'R5',
    why: 'a receiver cannot choose what it is sent, and % is new to it',
  },
  'encoding-changed': {
    verdict: { request: 'R6', response: 'R5' },
    why: {
      request: 'parts that were accepted before may be refused',
      response: 'parts are written in another way than before',
    },
  },
  'status-removed': {
    verdict: { request: 'R6', response: 'R5' },
    why: {
      request: 'receivers that answer % are taken to have failed',
      response: 'callers that handle status % meet another answer for the same request',
    },
  },
  'refusal-added': {
    verdict: { request: 'compatible', response: 'R5' },
    why: {
      request: 'receivers need not answer with it',
      response: 'requests may be answered with the error %, which callers were not told of',
    },
  },
  'status-added': { verdict: 'compatible', why: 'the answers that were promised are still there' },
  'header-removed': {
    verdict: 'R3',
    why: {
      request: 'the header % is no longer read',
      response: 'callers that read the header % miss it',
    },
  },
  'header-added': { verdict: 'compatible', why: 'callers ignore headers that they do not know' },
  'header-became-optional': {
    verdict: { request: 'compatible', response: 'R5' },
    why: {
      request: 'senders still may send it',
      response: 'callers that rely on the header % may miss it',
    },
  },
  'header-became-required': {
    verdict: { request: 'R4', response: 'compatible' },
    why: {
      request: 'answers without % were complete before',
      response: 'callers always get it now',
    },
  },
  'required-header-added': {
    verdict: { request: 'R4', response: 'compatible' },
    why: {
      request: 'answers without % were complete before',
      response: 'callers ignore headers that they do not know',
    },
  },
  'property-removed': {
    verdict: 'R3',
    why: {
      request: 'callers that send % are refused or ignored',
      response: 'callers that read % miss it',
    },
  },
  'property-added': {
    verdict: 'compatible',
    why: 'callers may leave it out, and ignore what they do not know',
  },
  'required-property-added': {
    verdict: { request: 'R4', response: 'compatible' },
    why: {
      request: 'requests without % were complete before and are refused now',
      response: 'callers get more than before',
    },
  },
  'property-became-required': {
    verdict: { request: 'R4', response: 'compatible' },
    why: {
      request: 'requests without % were complete before and are refused now',
      response: 'callers always get it now',
    },
  },
  'property-required-in-cases': {
    verdict: { request: 'R6', response: 'compatible' },
    why: {
      request: 'in some cases requests without % are refused that were accepted before',
      response: 'callers get more than before',
    },
  },
  'property-became-optional': {
    verdict: { request: 'compatible', response: 'R5' },
    why: {
      request: 'callers that send it still may',
      response: 'callers that rely on % may miss it',
    },
  },
  'default-changed': {
    verdict: { request: 'R5', response: 'compatible' },
    why: {
      request: 'callers that leave it out get another value than before',
      response: 'the answer says the value itself',
    },
  },
  'columns-reordered': {
    verdict: { request: 'R6', response: 'R5' },
    why: 'programs that read columns by their place read another one',
  },
  'code-removed': {
    verdict: 'R5',
    why: 'callers that act on the code % meet another answer for the same request',
  },
  'code-added': {
    verdict: 'compatible',
    why: 'callers act on codes that they know, and on the status for others',
  },
  narrowed: {
    verdict: { request: 'R6', response: 'compatible' },
    why: {
      request: 'because of %, requests are refused that were accepted before',
      response: 'every answer was allowed before too',
    },
  },
  widened: {
    verdict: { request: 'compatible', response: 'R5' },
    why: {
      request: 'every request that was accepted still is',
      response: 'because of %, answers may come that were not possible before',
    },
  },
  changed: {
    verdict: { request: 'R6', response: 'R5' },
    why: {
      request: 'because of %, requests may be refused that were accepted before',
      response: 'because of %, answers may come that were not possible before',
    },
  },
  'discriminator-changed': {
    verdict: 'R5',
    why: 'another property says which alternative a value is',
  },
  'unknown-keyword': {
    verdict: { request: 'R6', response: 'R5' },
    why: 'the gate does not know the keyword %, so it cannot say that callers are safe',
  },
} as const satisfies Record<string, Check>;

export type CheckId = keyof typeof CHECKS;

const WHAT_TO_DO: Readonly<Record<Verdict, string>> = {
  R1: 'Keep the operation in this version (deprecated: true is fine) and leave it out of the next version.',
  R2: 'Keep the permission as it is in this version and change it in the next version.',
  R3: 'Keep it in this version (deprecated: true is fine) and leave it out of the next version.',
  R4: 'Make it optional or give it a default that the server applies, or require it in the next version.',
  R5: 'Restore the promised behaviour in this version and change it in the next version.',
  R6: 'Accept in this version what it accepted before and check it in the next version.',
  compatible: 'Nothing.',
};

export interface Explanation {
  readonly rule: Verdict;
  readonly why: string;
  readonly whatToDo: string;
}

export function explain(id: CheckId, direction: Direction | 'none', subject: string): Explanation {
  const { verdict, why }: Check = CHECKS[id];
  const side = direction === 'none' ? 'request' : direction;
  const rule = typeof verdict === 'string' ? verdict : verdict[side];
  const text = typeof why === 'string' ? why : why[side];
  const whatToDo =
    id === 'unknown-keyword' || id === 'unknown-member'
      ? `Classify ${subject} in the gate, or make the change in the next version.`
      : WHAT_TO_DO[rule];
  return { rule, why: text.replace('%', () => subject), whatToDo };
}

export function isIncompatible(id: CheckId, direction: Direction | 'none'): boolean {
  return explain(id, direction, '').rule !== 'compatible';
}

/** `enrolled` asks for a second factor where one is enrolled; `required` lets nobody in without. */
export type MfaPolicy = 'enrolled' | 'required';

/** Whether an Accept header names `application/json` itself, by no wildcard and not with q=0. */
export function wantsJson(accept: string): boolean {
  return accept.split(',').some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const refused = parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter));
    return type === 'application/json' && !refused;
  });
}

export function secretText(clientId: string, clientSecret: string): string {
  return `client id      ${clientId}\nclient secret  ${clientSecret}\nThe secret is not shown again.`;
}

const REVOLVING: readonly string[] = ['revolver', 'swingline', 'letter_of_credit'];

/** Whether a repayment makes what was repaid available again, by the type of a facility. */
export function isRevolving(facilityType: string): boolean {
  return REVOLVING.includes(facilityType);
}

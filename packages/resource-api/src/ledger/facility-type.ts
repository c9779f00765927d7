/** What a facility is, as credit agreements call it. The database refuses any other type. */
export const FACILITY_TYPES = [
  'term_loan',
  'revolver',
  'delayed_draw',
  'letter_of_credit',
  'swingline',
  'bridge',
] as const;
export type FacilityType = (typeof FACILITY_TYPES)[number];

/** Types under which a repayment makes what was repaid available again. */
export const REVOLVING_TYPES = [
  'revolver',
  'swingline',
  'letter_of_credit',
] as const satisfies readonly FacilityType[];

export function isRevolving(facilityType: string): boolean {
  return (REVOLVING_TYPES as readonly string[]).includes(facilityType);
}

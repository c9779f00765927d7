// Made by `npm run contracts` from packages/resource-api/contracts/v1.json.
export interface paths {
    "/cls/balances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Balances of deals, facilities, contracts or positions */
        get: operations["listBalances"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cls/balances/principal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Principal, rolled forward over a period */
        get: operations["listPrincipalBalances"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cls/balances/principal/movements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The postings of principal behind a roll-forward */
        get: operations["listPrincipalMovements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cls/balances/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One balance, by the id that it has in the list */
        get: operations["getBalance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cls/deals/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A deal with its parties, balances and facilities */
        get: operations["getDeal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cls/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who the caller is, and what it may see */
        get: operations["getCaller"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cls/balances/totals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What balances come to, by borrower, country, type, status, lender or maturity */
        get: operations["listGroupTotals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A decimal with exactly the digits of its currency (ISO 4217). */
        Money: string;
        /** @description 0.0475 is 4.75 %. */
        Rate: string;
        /** @description ISO 4217. */
        Currency: string;
        /** Format: date */
        Date: string;
        /**
         * Format: date-time
         * @description RFC 3339 in UTC.
         */
        Instant: string;
        Party: {
            id: string;
            name: string;
        };
        Facility: {
            id: string;
            name: string;
            /** @description Such as term_loan or revolver. */
            type: string;
            currency: components["schemas"]["Currency"];
            maturityDate: components["schemas"]["Date"] | null;
            /** @description The facility that it is carved out of. */
            sublimitOf: string | null;
        };
        Contract: {
            id: string;
            contractNumber: string;
            maturityDate: components["schemas"]["Date"] | null;
        };
        Amounts: {
            commitment: {
                /** @description What the lenders committed at first. */
                original: components["schemas"]["Money"];
                /** @description Commitment given up or expired. */
                cancelled: components["schemas"]["Money"];
                /** @description Funded, letters of credit, used under sublimits, and unfunded. */
                current: components["schemas"]["Money"];
                /** @description Principal drawn in cash. */
                funded: components["schemas"]["Money"];
                /** @description Committed and not drawn. */
                unfunded: components["schemas"]["Money"];
                /** @description May be drawn now. */
                available: components["schemas"]["Money"];
                /** @description Unfunded, and blocked from drawing. */
                unavailable: components["schemas"]["Money"];
                /** @description Letters of credit issued under the commitment. */
                letterOfCredit: components["schemas"]["Money"];
                /** @description Drawn under the facility’s sublimits. */
                sublimitUsed: components["schemas"]["Money"];
            };
            principal: {
                /** @description Cash and capitalised principal that is owed. */
                outstanding: components["schemas"]["Money"];
                /** @description Principal advanced in cash. */
                cash: components["schemas"]["Money"];
                /** @description Interest that was capitalised (payment in kind). */
                pikCapitalized: components["schemas"]["Money"];
                /** @description Billed and not paid. */
                due: components["schemas"]["Money"];
                /** @description Billed, and its due date has passed. */
                pastDue: components["schemas"]["Money"];
                /** @description Revaluation of what is owed in other currencies. */
                exchangeAdjustment: components["schemas"]["Money"];
                /** @description Outstanding and exchange adjustment. */
                obligation: components["schemas"]["Money"];
            };
            interest: {
                /** @description Cash interest that is not billed yet, to the end of the date. */
                accrued: components["schemas"]["Money"];
                /** @description Interest that will be capitalised, not billed yet. */
                pikAccrued: components["schemas"]["Money"];
                /** @description Billed and not paid. */
                due: components["schemas"]["Money"];
                /** @description Billed, and its due date has passed. */
                pastDue: components["schemas"]["Money"];
            };
            fees: {
                /** @description Commitment and letter-of-credit fees that are not billed yet. */
                accrued: components["schemas"]["Money"];
                /** @description Billed and not paid. */
                due: components["schemas"]["Money"];
                /** @description Billed, and its due date has passed. */
                pastDue: components["schemas"]["Money"];
            };
            total: {
                /** @description Principal, interest and fees. */
                outstanding: components["schemas"]["Money"];
                /** @description Of these, past due. */
                pastDue: components["schemas"]["Money"];
            };
        };
        Share: {
            lender: components["schemas"]["Party"];
            /** @description Of the commitment, cut at twelve decimals; null of nothing. */
            fraction: string | null;
            commitment: {
                /** @description What the lenders committed at first. */
                original: components["schemas"]["Money"];
                /** @description Commitment given up or expired. */
                cancelled: components["schemas"]["Money"];
                /** @description Funded, letters of credit, used under sublimits, and unfunded. */
                current: components["schemas"]["Money"];
                /** @description Principal drawn in cash. */
                funded: components["schemas"]["Money"];
                /** @description Committed and not drawn. */
                unfunded: components["schemas"]["Money"];
                /** @description May be drawn now. */
                available: components["schemas"]["Money"];
                /** @description Unfunded, and blocked from drawing. */
                unavailable: components["schemas"]["Money"];
                /** @description Letters of credit issued under the commitment. */
                letterOfCredit: components["schemas"]["Money"];
                /** @description Drawn under the facility’s sublimits. */
                sublimitUsed: components["schemas"]["Money"];
            };
            principal: {
                /** @description Cash and capitalised principal that is owed. */
                outstanding: components["schemas"]["Money"];
                /** @description Principal advanced in cash. */
                cash: components["schemas"]["Money"];
                /** @description Interest that was capitalised (payment in kind). */
                pikCapitalized: components["schemas"]["Money"];
                /** @description Billed and not paid. */
                due: components["schemas"]["Money"];
                /** @description Billed, and its due date has passed. */
                pastDue: components["schemas"]["Money"];
                /** @description Revaluation of what is owed in other currencies. */
                exchangeAdjustment: components["schemas"]["Money"];
                /** @description Outstanding and exchange adjustment. */
                obligation: components["schemas"]["Money"];
            };
            interest: {
                /** @description Cash interest that is not billed yet, to the end of the date. */
                accrued: components["schemas"]["Money"];
                /** @description Interest that will be capitalised, not billed yet. */
                pikAccrued: components["schemas"]["Money"];
                /** @description Billed and not paid. */
                due: components["schemas"]["Money"];
                /** @description Billed, and its due date has passed. */
                pastDue: components["schemas"]["Money"];
            };
            fees: {
                /** @description Commitment and letter-of-credit fees that are not billed yet. */
                accrued: components["schemas"]["Money"];
                /** @description Billed and not paid. */
                due: components["schemas"]["Money"];
                /** @description Billed, and its due date has passed. */
                pastDue: components["schemas"]["Money"];
            };
            total: {
                /** @description Principal, interest and fees. */
                outstanding: components["schemas"]["Money"];
                /** @description Of these, past due. */
                pastDue: components["schemas"]["Money"];
            };
        };
        RollForward: {
            /** @description Principal at the end of the day before the period. */
            opening: components["schemas"]["Money"];
            movements: {
                advances: components["schemas"]["Money"];
                scheduledRepayments: components["schemas"]["Money"];
                voluntaryPrepayments: components["schemas"]["Money"];
                mandatoryPrepayments: components["schemas"]["Money"];
                pikCapitalized: components["schemas"]["Money"];
                feesCapitalized: components["schemas"]["Money"];
                writeOffs: components["schemas"]["Money"];
                /** @description Between contracts: zero per facility. */
                rollovers: components["schemas"]["Money"];
                /** @description Between lenders: zero globally. */
                transfers: components["schemas"]["Money"];
                adjustments: components["schemas"]["Money"];
            };
            /** @description Opening and movements. */
            closing: components["schemas"]["Money"];
            exchangeAdjustment: components["schemas"]["Money"];
            obligation: components["schemas"]["Money"];
        };
        RollForwardShare: {
            lender: components["schemas"]["Party"];
            /** @description Of the commitment, cut at twelve decimals; null of nothing. */
            fraction: string | null;
            /** @description Principal at the end of the day before the period. */
            opening: components["schemas"]["Money"];
            movements: {
                advances: components["schemas"]["Money"];
                scheduledRepayments: components["schemas"]["Money"];
                voluntaryPrepayments: components["schemas"]["Money"];
                mandatoryPrepayments: components["schemas"]["Money"];
                pikCapitalized: components["schemas"]["Money"];
                feesCapitalized: components["schemas"]["Money"];
                writeOffs: components["schemas"]["Money"];
                /** @description Between contracts: zero per facility. */
                rollovers: components["schemas"]["Money"];
                /** @description Between lenders: zero globally. */
                transfers: components["schemas"]["Money"];
                adjustments: components["schemas"]["Money"];
            };
            /** @description Opening and movements. */
            closing: components["schemas"]["Money"];
            exchangeAdjustment: components["schemas"]["Money"];
            obligation: components["schemas"]["Money"];
        };
        ClosingShare: {
            lender: components["schemas"]["Party"];
            /** @description Of the commitment, cut at twelve decimals; null of nothing. */
            fraction: string | null;
            closing: components["schemas"]["Money"];
        };
        Accrual: {
            /** @enum {string} */
            component: "interest" | "pik" | "commitment_fee" | "letter_of_credit_fee";
            facilityId: string;
            contractId: string | null;
            start: components["schemas"]["Date"];
            /** @description Exclusive. */
            end: components["schemas"]["Date"];
            /** @enum {string} */
            dayCount: "ACT/360" | "ACT/365F" | "30/360" | "ACT/ACT";
            /** @description The sum of the periods, rounded half up, once. */
            amount: components["schemas"]["Money"];
            /** @description The bill that is corrected: the amount is less what was billed. */
            corrects: {
                journal: string;
                billed: components["schemas"]["Money"];
            } | null;
            periods: components["schemas"]["AccrualPeriod"][];
        };
        AccrualPeriod: {
            start: components["schemas"]["Date"];
            /** @description Exclusive. */
            end: components["schemas"]["Date"];
            days: number;
            balance: components["schemas"]["Money"];
            /** @description All in. */
            rate: components["schemas"]["Rate"];
            baseRateIndex: string | null;
            baseRate: components["schemas"]["Rate"] | null;
            spread: components["schemas"]["Rate"] | null;
            /** @description Credit spread adjustment. */
            csa: components["schemas"]["Rate"] | null;
            /** @description With twelve decimals, not rounded to the currency. */
            amount: components["schemas"]["Money"];
        };
        Reporting: {
            currency: components["schemas"]["Currency"];
            /** @description Units of the reporting currency for one of the item’s. */
            rate: components["schemas"]["Rate"];
            rateDate: components["schemas"]["Date"];
            /** @description Who quoted the rate. */
            source: string;
            principalOutstanding: components["schemas"]["Money"];
            unfunded: components["schemas"]["Money"];
            interestAccrued: components["schemas"]["Money"];
        };
        ReportingTotal: {
            currency: components["schemas"]["Currency"];
            principalOutstanding: components["schemas"]["Money"];
            unfunded: components["schemas"]["Money"];
            interestAccrued: components["schemas"]["Money"];
        };
        Total: {
            currency: components["schemas"]["Currency"];
            count: number;
            principalOutstanding: components["schemas"]["Money"];
            exchangeAdjustment: components["schemas"]["Money"];
            obligation: components["schemas"]["Money"];
            /** @description Left out at level contract: commitments are the facility’s. */
            unfunded?: components["schemas"]["Money"];
            /** @description Null: too many items accrue to add them up. */
            interestAccrued: components["schemas"]["Money"] | null;
            /** @description Null: too many items accrue to add them up. */
            feesAccrued: components["schemas"]["Money"] | null;
        };
        Balance: {
            /** @constant */
            object: "balance";
            id: string;
            /** @enum {string} */
            level: "deal" | "facility" | "contract" | "position";
            deal: {
                id: string;
                name: string;
                dealNumber: string;
            };
            facility: components["schemas"]["Facility"] | null;
            contract: components["schemas"]["Contract"] | null;
            position?: {
                id: string;
                /** @enum {string} */
                kind: "assignment" | "participation";
            };
            borrower: {
                id: string;
                name: string;
                country: string;
            };
            currency: components["schemas"]["Currency"];
            /** @description Over all lenders. */
            global: components["schemas"]["Amounts"];
            /** @description The caller’s own, or that of the one lender asked for. */
            share: components["schemas"]["Share"] | null;
            /** @description Every share that the caller may see. */
            lenders?: components["schemas"]["Share"][];
            status: {
                /** @enum {string} */
                deal: "pending" | "active" | "matured" | "terminated";
                /** @enum {string} */
                facility?: "pending" | "active" | "matured" | "terminated";
                /** @enum {string} */
                contract?: "pending" | "active" | "repaid" | "written_off";
                /** @description Since the oldest unpaid due date. */
                daysPastDue: number;
            };
            /** @description With expand=accrual. */
            accrual?: components["schemas"]["Accrual"][];
            reporting?: components["schemas"]["Reporting"];
            /** @description With expand=contracts. */
            contracts?: components["schemas"]["Balance"][];
            provenance: {
                /** @description Null: nothing was posted to it yet. */
                lastEffectiveDate: components["schemas"]["Date"] | null;
                lastPostedAt: components["schemas"]["Instant"] | null;
                /** @description The newest journal that the item depends on. */
                ledgerSeq: number;
                restated: boolean;
                /** @description What was reported of the same date before. */
                restatedFrom: {
                    knownAt: components["schemas"]["Instant"];
                    /** @description Over all lenders. */
                    global: components["schemas"]["Amounts"];
                    /** @description The caller’s own, or that of the one lender asked for. */
                    share: components["schemas"]["Share"] | null;
                    /** @description Every share that the caller may see. */
                    lenders?: components["schemas"]["Share"][];
                } | null;
            };
            /** @description Such as negative_outstanding or overadvance. */
            warnings: string[];
        };
        PrincipalBalance: {
            /** @constant */
            object: "principalBalance";
            id: string;
            /** @enum {string} */
            level: "deal" | "facility" | "contract" | "position";
            deal: {
                id: string;
                name: string;
                dealNumber: string;
            };
            facility: components["schemas"]["Facility"] | null;
            contract: components["schemas"]["Contract"] | null;
            position?: {
                id: string;
                /** @enum {string} */
                kind: "assignment" | "participation";
            };
            borrower: {
                id: string;
                name: string;
                country: string;
            };
            currency: components["schemas"]["Currency"];
            /** @description Over all lenders. */
            global: components["schemas"]["RollForward"];
            /** @description The caller’s own, or that of the one lender asked for. */
            share: components["schemas"]["RollForwardShare"] | null;
            /** @description Every share that the caller may see. */
            lenders?: components["schemas"]["RollForwardShare"][];
            sinceInception: {
                advanced: components["schemas"]["Money"];
                repaid: components["schemas"]["Money"];
            };
            /** @description Of a contract. */
            allInRate: components["schemas"]["Rate"] | null;
            status: {
                /** @enum {string} */
                deal: "pending" | "active" | "matured" | "terminated";
                /** @enum {string} */
                facility?: "pending" | "active" | "matured" | "terminated";
                /** @enum {string} */
                contract?: "pending" | "active" | "repaid" | "written_off";
            };
            movementCount: number;
            reversedCount: number;
            links: {
                /** Format: uri-reference */
                movements: string;
            };
            /** @description With expand=movements: the first 100. */
            movements?: components["schemas"]["PrincipalMovement"][];
            reporting?: components["schemas"]["Reporting"];
            /** @description With expand=contracts. */
            contracts?: components["schemas"]["PrincipalBalance"][];
            provenance: {
                /** @description Null: nothing was posted to it yet. */
                lastEffectiveDate: components["schemas"]["Date"] | null;
                lastPostedAt: components["schemas"]["Instant"] | null;
                /** @description The newest journal that the item depends on. */
                ledgerSeq: number;
                restated: boolean;
                /** @description What was reported of the same date before. */
                restatedFrom: {
                    knownAt: components["schemas"]["Instant"];
                    closing: components["schemas"]["Money"];
                    share: components["schemas"]["ClosingShare"] | null;
                    lenders?: components["schemas"]["ClosingShare"][];
                } | null;
            };
            /** @description Such as negative_outstanding or overadvance. */
            warnings: string[];
        };
        PrincipalMovement: {
            /** @constant */
            object: "principalMovement";
            id: string;
            journal: {
                id: string;
                /** @description Such as advance or interest_billing. */
                type: string;
                ledgerSeq: number;
                reason: string | null;
                reverses: string | null;
                /** @description The bill that its journal corrects. */
                corrects: string | null;
            };
            effectiveDate: components["schemas"]["Date"];
            postedAt: components["schemas"]["Instant"];
            dealId: string;
            facilityId: string;
            contract: {
                id: string;
                contractNumber: string | null;
            } | null;
            /** @description Null: globally. */
            lender: components["schemas"]["Party"] | null;
            /** @enum {string} */
            movement: "advance" | "scheduled_repayment" | "voluntary_prepayment" | "mandatory_prepayment" | "pik_capitalization" | "fee_capitalization" | "write_off" | "rollover" | "transfer" | "adjustment";
            /** @enum {string} */
            component: "cash" | "pik";
            amount: components["schemas"]["Money"];
            currency: components["schemas"]["Currency"];
        };
        BalanceFields: {
            /** @constant */
            object: "balance";
            id: string;
            /** @enum {string} */
            level?: "deal" | "facility" | "contract" | "position";
            deal?: {
                id?: string;
                name?: string;
                dealNumber?: string;
            };
            facility?: {
                id?: string;
                name?: string;
                /** @description Such as term_loan or revolver. */
                type?: string;
                currency?: components["schemas"]["Currency"];
                maturityDate?: components["schemas"]["Date"] | null;
                /** @description The facility that it is carved out of. */
                sublimitOf?: string | null;
            } | null;
            contract?: {
                id?: string;
                contractNumber?: string;
                maturityDate?: components["schemas"]["Date"] | null;
            } | null;
            position?: {
                id?: string;
                /** @enum {string} */
                kind?: "assignment" | "participation";
            };
            borrower?: {
                id?: string;
                name?: string;
                country?: string;
            };
            currency: components["schemas"]["Currency"];
            global?: {
                commitment?: {
                    /** @description What the lenders committed at first. */
                    original?: components["schemas"]["Money"];
                    /** @description Commitment given up or expired. */
                    cancelled?: components["schemas"]["Money"];
                    /** @description Funded, letters of credit, used under sublimits, and unfunded. */
                    current?: components["schemas"]["Money"];
                    /** @description Principal drawn in cash. */
                    funded?: components["schemas"]["Money"];
                    /** @description Committed and not drawn. */
                    unfunded?: components["schemas"]["Money"];
                    /** @description May be drawn now. */
                    available?: components["schemas"]["Money"];
                    /** @description Unfunded, and blocked from drawing. */
                    unavailable?: components["schemas"]["Money"];
                    /** @description Letters of credit issued under the commitment. */
                    letterOfCredit?: components["schemas"]["Money"];
                    /** @description Drawn under the facility’s sublimits. */
                    sublimitUsed?: components["schemas"]["Money"];
                };
                principal?: {
                    /** @description Cash and capitalised principal that is owed. */
                    outstanding?: components["schemas"]["Money"];
                    /** @description Principal advanced in cash. */
                    cash?: components["schemas"]["Money"];
                    /** @description Interest that was capitalised (payment in kind). */
                    pikCapitalized?: components["schemas"]["Money"];
                    /** @description Billed and not paid. */
                    due?: components["schemas"]["Money"];
                    /** @description Billed, and its due date has passed. */
                    pastDue?: components["schemas"]["Money"];
                    /** @description Revaluation of what is owed in other currencies. */
                    exchangeAdjustment?: components["schemas"]["Money"];
                    /** @description Outstanding and exchange adjustment. */
                    obligation?: components["schemas"]["Money"];
                };
                interest?: {
                    /** @description Cash interest that is not billed yet, to the end of the date. */
                    accrued?: components["schemas"]["Money"];
                    /** @description Interest that will be capitalised, not billed yet. */
                    pikAccrued?: components["schemas"]["Money"];
                    /** @description Billed and not paid. */
                    due?: components["schemas"]["Money"];
                    /** @description Billed, and its due date has passed. */
                    pastDue?: components["schemas"]["Money"];
                };
                fees?: {
                    /** @description Commitment and letter-of-credit fees that are not billed yet. */
                    accrued?: components["schemas"]["Money"];
                    /** @description Billed and not paid. */
                    due?: components["schemas"]["Money"];
                    /** @description Billed, and its due date has passed. */
                    pastDue?: components["schemas"]["Money"];
                };
                total?: {
                    /** @description Principal, interest and fees. */
                    outstanding?: components["schemas"]["Money"];
                    /** @description Of these, past due. */
                    pastDue?: components["schemas"]["Money"];
                };
            };
            /** @description The caller’s own, or that of the one lender asked for. */
            share?: {
                lender?: {
                    id?: string;
                    name?: string;
                };
                /** @description Of the commitment, cut at twelve decimals; null of nothing. */
                fraction?: string | null;
                commitment?: {
                    /** @description What the lenders committed at first. */
                    original?: components["schemas"]["Money"];
                    /** @description Commitment given up or expired. */
                    cancelled?: components["schemas"]["Money"];
                    /** @description Funded, letters of credit, used under sublimits, and unfunded. */
                    current?: components["schemas"]["Money"];
                    /** @description Principal drawn in cash. */
                    funded?: components["schemas"]["Money"];
                    /** @description Committed and not drawn. */
                    unfunded?: components["schemas"]["Money"];
                    /** @description May be drawn now. */
                    available?: components["schemas"]["Money"];
                    /** @description Unfunded, and blocked from drawing. */
                    unavailable?: components["schemas"]["Money"];
                    /** @description Letters of credit issued under the commitment. */
                    letterOfCredit?: components["schemas"]["Money"];
                    /** @description Drawn under the facility’s sublimits. */
                    sublimitUsed?: components["schemas"]["Money"];
                };
                principal?: {
                    /** @description Cash and capitalised principal that is owed. */
                    outstanding?: components["schemas"]["Money"];
                    /** @description Principal advanced in cash. */
                    cash?: components["schemas"]["Money"];
                    /** @description Interest that was capitalised (payment in kind). */
                    pikCapitalized?: components["schemas"]["Money"];
                    /** @description Billed and not paid. */
                    due?: components["schemas"]["Money"];
                    /** @description Billed, and its due date has passed. */
                    pastDue?: components["schemas"]["Money"];
                    /** @description Revaluation of what is owed in other currencies. */
                    exchangeAdjustment?: components["schemas"]["Money"];
                    /** @description Outstanding and exchange adjustment. */
                    obligation?: components["schemas"]["Money"];
                };
                interest?: {
                    /** @description Cash interest that is not billed yet, to the end of the date. */
                    accrued?: components["schemas"]["Money"];
                    /** @description Interest that will be capitalised, not billed yet. */
                    pikAccrued?: components["schemas"]["Money"];
                    /** @description Billed and not paid. */
                    due?: components["schemas"]["Money"];
                    /** @description Billed, and its due date has passed. */
                    pastDue?: components["schemas"]["Money"];
                };
                fees?: {
                    /** @description Commitment and letter-of-credit fees that are not billed yet. */
                    accrued?: components["schemas"]["Money"];
                    /** @description Billed and not paid. */
                    due?: components["schemas"]["Money"];
                    /** @description Billed, and its due date has passed. */
                    pastDue?: components["schemas"]["Money"];
                };
                total?: {
                    /** @description Principal, interest and fees. */
                    outstanding?: components["schemas"]["Money"];
                    /** @description Of these, past due. */
                    pastDue?: components["schemas"]["Money"];
                };
            } | null;
            /** @description Every share that the caller may see. */
            lenders?: components["schemas"]["Share"][];
            status?: {
                /** @enum {string} */
                deal?: "pending" | "active" | "matured" | "terminated";
                /** @enum {string} */
                facility?: "pending" | "active" | "matured" | "terminated";
                /** @enum {string} */
                contract?: "pending" | "active" | "repaid" | "written_off";
                /** @description Since the oldest unpaid due date. */
                daysPastDue?: number;
            };
            /** @description With expand=accrual. */
            accrual?: components["schemas"]["Accrual"][];
            reporting?: {
                currency?: components["schemas"]["Currency"];
                /** @description Units of the reporting currency for one of the item’s. */
                rate?: components["schemas"]["Rate"];
                rateDate?: components["schemas"]["Date"];
                /** @description Who quoted the rate. */
                source?: string;
                principalOutstanding?: components["schemas"]["Money"];
                unfunded?: components["schemas"]["Money"];
                interestAccrued?: components["schemas"]["Money"];
            };
            /** @description With expand=contracts. */
            contracts?: components["schemas"]["Balance"][];
            provenance?: {
                /** @description Null: nothing was posted to it yet. */
                lastEffectiveDate?: components["schemas"]["Date"] | null;
                lastPostedAt?: components["schemas"]["Instant"] | null;
                /** @description The newest journal that the item depends on. */
                ledgerSeq?: number;
                restated?: boolean;
                /** @description What was reported of the same date before. */
                restatedFrom?: {
                    knownAt?: components["schemas"]["Instant"];
                    global?: {
                        commitment?: {
                            /** @description What the lenders committed at first. */
                            original?: components["schemas"]["Money"];
                            /** @description Commitment given up or expired. */
                            cancelled?: components["schemas"]["Money"];
                            /** @description Funded, letters of credit, used under sublimits, and unfunded. */
                            current?: components["schemas"]["Money"];
                            /** @description Principal drawn in cash. */
                            funded?: components["schemas"]["Money"];
                            /** @description Committed and not drawn. */
                            unfunded?: components["schemas"]["Money"];
                            /** @description May be drawn now. */
                            available?: components["schemas"]["Money"];
                            /** @description Unfunded, and blocked from drawing. */
                            unavailable?: components["schemas"]["Money"];
                            /** @description Letters of credit issued under the commitment. */
                            letterOfCredit?: components["schemas"]["Money"];
                            /** @description Drawn under the facility’s sublimits. */
                            sublimitUsed?: components["schemas"]["Money"];
                        };
                        principal?: {
                            /** @description Cash and capitalised principal that is owed. */
                            outstanding?: components["schemas"]["Money"];
                            /** @description Principal advanced in cash. */
                            cash?: components["schemas"]["Money"];
                            /** @description Interest that was capitalised (payment in kind). */
                            pikCapitalized?: components["schemas"]["Money"];
                            /** @description Billed and not paid. */
                            due?: components["schemas"]["Money"];
                            /** @description Billed, and its due date has passed. */
                            pastDue?: components["schemas"]["Money"];
                            /** @description Revaluation of what is owed in other currencies. */
                            exchangeAdjustment?: components["schemas"]["Money"];
                            /** @description Outstanding and exchange adjustment. */
                            obligation?: components["schemas"]["Money"];
                        };
                        interest?: {
                            /** @description Cash interest that is not billed yet, to the end of the date. */
                            accrued?: components["schemas"]["Money"];
                            /** @description Interest that will be capitalised, not billed yet. */
                            pikAccrued?: components["schemas"]["Money"];
                            /** @description Billed and not paid. */
                            due?: components["schemas"]["Money"];
                            /** @description Billed, and its due date has passed. */
                            pastDue?: components["schemas"]["Money"];
                        };
                        fees?: {
                            /** @description Commitment and letter-of-credit fees that are not billed yet. */
                            accrued?: components["schemas"]["Money"];
                            /** @description Billed and not paid. */
                            due?: components["schemas"]["Money"];
                            /** @description Billed, and its due date has passed. */
                            pastDue?: components["schemas"]["Money"];
                        };
                        total?: {
                            /** @description Principal, interest and fees. */
                            outstanding?: components["schemas"]["Money"];
                            /** @description Of these, past due. */
                            pastDue?: components["schemas"]["Money"];
                        };
                    };
                    /** @description The caller’s own, or that of the one lender asked for. */
                    share?: {
                        lender?: {
                            id?: string;
                            name?: string;
                        };
                        /** @description Of the commitment, cut at twelve decimals; null of nothing. */
                        fraction?: string | null;
                        commitment?: {
                            /** @description What the lenders committed at first. */
                            original?: components["schemas"]["Money"];
                            /** @description Commitment given up or expired. */
                            cancelled?: components["schemas"]["Money"];
                            /** @description Funded, letters of credit, used under sublimits, and unfunded. */
                            current?: components["schemas"]["Money"];
                            /** @description Principal drawn in cash. */
                            funded?: components["schemas"]["Money"];
                            /** @description Committed and not drawn. */
                            unfunded?: components["schemas"]["Money"];
                            /** @description May be drawn now. */
                            available?: components["schemas"]["Money"];
                            /** @description Unfunded, and blocked from drawing. */
                            unavailable?: components["schemas"]["Money"];
                            /** @description Letters of credit issued under the commitment. */
                            letterOfCredit?: components["schemas"]["Money"];
                            /** @description Drawn under the facility’s sublimits. */
                            sublimitUsed?: components["schemas"]["Money"];
                        };
                        principal?: {
                            /** @description Cash and capitalised principal that is owed. */
                            outstanding?: components["schemas"]["Money"];
                            /** @description Principal advanced in cash. */
                            cash?: components["schemas"]["Money"];
                            /** @description Interest that was capitalised (payment in kind). */
                            pikCapitalized?: components["schemas"]["Money"];
                            /** @description Billed and not paid. */
                            due?: components["schemas"]["Money"];
                            /** @description Billed, and its due date has passed. */
                            pastDue?: components["schemas"]["Money"];
                            /** @description Revaluation of what is owed in other currencies. */
                            exchangeAdjustment?: components["schemas"]["Money"];
                            /** @description Outstanding and exchange adjustment. */
                            obligation?: components["schemas"]["Money"];
                        };
                        interest?: {
                            /** @description Cash interest that is not billed yet, to the end of the date. */
                            accrued?: components["schemas"]["Money"];
                            /** @description Interest that will be capitalised, not billed yet. */
                            pikAccrued?: components["schemas"]["Money"];
                            /** @description Billed and not paid. */
                            due?: components["schemas"]["Money"];
                            /** @description Billed, and its due date has passed. */
                            pastDue?: components["schemas"]["Money"];
                        };
                        fees?: {
                            /** @description Commitment and letter-of-credit fees that are not billed yet. */
                            accrued?: components["schemas"]["Money"];
                            /** @description Billed and not paid. */
                            due?: components["schemas"]["Money"];
                            /** @description Billed, and its due date has passed. */
                            pastDue?: components["schemas"]["Money"];
                        };
                        total?: {
                            /** @description Principal, interest and fees. */
                            outstanding?: components["schemas"]["Money"];
                            /** @description Of these, past due. */
                            pastDue?: components["schemas"]["Money"];
                        };
                    } | null;
                    /** @description Every share that the caller may see. */
                    lenders?: components["schemas"]["Share"][];
                } | null;
            };
            /** @description Such as negative_outstanding or overadvance. */
            warnings?: string[];
        };
        PrincipalBalanceFields: {
            /** @constant */
            object: "principalBalance";
            id: string;
            /** @enum {string} */
            level?: "deal" | "facility" | "contract" | "position";
            deal?: {
                id?: string;
                name?: string;
                dealNumber?: string;
            };
            facility?: {
                id?: string;
                name?: string;
                /** @description Such as term_loan or revolver. */
                type?: string;
                currency?: components["schemas"]["Currency"];
                maturityDate?: components["schemas"]["Date"] | null;
                /** @description The facility that it is carved out of. */
                sublimitOf?: string | null;
            } | null;
            contract?: {
                id?: string;
                contractNumber?: string;
                maturityDate?: components["schemas"]["Date"] | null;
            } | null;
            position?: {
                id?: string;
                /** @enum {string} */
                kind?: "assignment" | "participation";
            };
            borrower?: {
                id?: string;
                name?: string;
                country?: string;
            };
            currency: components["schemas"]["Currency"];
            global?: {
                /** @description Principal at the end of the day before the period. */
                opening?: components["schemas"]["Money"];
                movements?: {
                    advances?: components["schemas"]["Money"];
                    scheduledRepayments?: components["schemas"]["Money"];
                    voluntaryPrepayments?: components["schemas"]["Money"];
                    mandatoryPrepayments?: components["schemas"]["Money"];
                    pikCapitalized?: components["schemas"]["Money"];
                    feesCapitalized?: components["schemas"]["Money"];
                    writeOffs?: components["schemas"]["Money"];
                    /** @description Between contracts: zero per facility. */
                    rollovers?: components["schemas"]["Money"];
                    /** @description Between lenders: zero globally. */
                    transfers?: components["schemas"]["Money"];
                    adjustments?: components["schemas"]["Money"];
                };
                /** @description Opening and movements. */
                closing?: components["schemas"]["Money"];
                exchangeAdjustment?: components["schemas"]["Money"];
                obligation?: components["schemas"]["Money"];
            };
            /** @description The caller’s own, or that of the one lender asked for. */
            share?: {
                lender?: {
                    id?: string;
                    name?: string;
                };
                /** @description Of the commitment, cut at twelve decimals; null of nothing. */
                fraction?: string | null;
                /** @description Principal at the end of the day before the period. */
                opening?: components["schemas"]["Money"];
                movements?: {
                    advances?: components["schemas"]["Money"];
                    scheduledRepayments?: components["schemas"]["Money"];
                    voluntaryPrepayments?: components["schemas"]["Money"];
                    mandatoryPrepayments?: components["schemas"]["Money"];
                    pikCapitalized?: components["schemas"]["Money"];
                    feesCapitalized?: components["schemas"]["Money"];
                    writeOffs?: components["schemas"]["Money"];
                    /** @description Between contracts: zero per facility. */
                    rollovers?: components["schemas"]["Money"];
                    /** @description Between lenders: zero globally. */
                    transfers?: components["schemas"]["Money"];
                    adjustments?: components["schemas"]["Money"];
                };
                /** @description Opening and movements. */
                closing?: components["schemas"]["Money"];
                exchangeAdjustment?: components["schemas"]["Money"];
                obligation?: components["schemas"]["Money"];
            } | null;
            /** @description Every share that the caller may see. */
            lenders?: components["schemas"]["RollForwardShare"][];
            sinceInception?: {
                advanced?: components["schemas"]["Money"];
                repaid?: components["schemas"]["Money"];
            };
            /** @description Of a contract. */
            allInRate?: components["schemas"]["Rate"] | null;
            status?: {
                /** @enum {string} */
                deal?: "pending" | "active" | "matured" | "terminated";
                /** @enum {string} */
                facility?: "pending" | "active" | "matured" | "terminated";
                /** @enum {string} */
                contract?: "pending" | "active" | "repaid" | "written_off";
            };
            movementCount?: number;
            reversedCount?: number;
            links?: {
                /** Format: uri-reference */
                movements?: string;
            };
            /** @description With expand=movements: the first 100. */
            movements?: components["schemas"]["PrincipalMovement"][];
            reporting?: {
                currency?: components["schemas"]["Currency"];
                /** @description Units of the reporting currency for one of the item’s. */
                rate?: components["schemas"]["Rate"];
                rateDate?: components["schemas"]["Date"];
                /** @description Who quoted the rate. */
                source?: string;
                principalOutstanding?: components["schemas"]["Money"];
                unfunded?: components["schemas"]["Money"];
                interestAccrued?: components["schemas"]["Money"];
            };
            /** @description With expand=contracts. */
            contracts?: components["schemas"]["PrincipalBalance"][];
            provenance?: {
                /** @description Null: nothing was posted to it yet. */
                lastEffectiveDate?: components["schemas"]["Date"] | null;
                lastPostedAt?: components["schemas"]["Instant"] | null;
                /** @description The newest journal that the item depends on. */
                ledgerSeq?: number;
                restated?: boolean;
                /** @description What was reported of the same date before. */
                restatedFrom?: {
                    knownAt?: components["schemas"]["Instant"];
                    closing?: components["schemas"]["Money"];
                    share?: {
                        lender?: {
                            id?: string;
                            name?: string;
                        };
                        /** @description Of the commitment, cut at twelve decimals; null of nothing. */
                        fraction?: string | null;
                        closing?: components["schemas"]["Money"];
                    } | null;
                    lenders?: components["schemas"]["ClosingShare"][];
                } | null;
            };
            /** @description Such as negative_outstanding or overadvance. */
            warnings?: string[];
        };
        RemovedItem: {
            /** @constant */
            object: "removed";
            id: string;
        };
        ExportSummary: {
            /** @constant */
            object: "summary";
            /** @description Items before this line. */
            count: number;
            asOf: components["schemas"]["Date"];
            knownAt: components["schemas"]["Instant"] | null;
            ledgerSeq: number;
            removed?: number;
            since?: {
                asOf: components["schemas"]["Date"] | null;
                knownAt: components["schemas"]["Instant"];
            };
            totals: components["schemas"]["Total"][];
            /** @description Of the lines before it. */
            sha256: string;
        };
        BalanceList: {
            /** @constant */
            object: "list";
            data: (components["schemas"]["Balance"] | components["schemas"]["BalanceFields"])[];
            /** @description With updatedSince. */
            removed?: components["schemas"]["RemovedItem"][];
            page: {
                limit: number;
                hasMore: boolean;
                nextCursor: string | null;
            };
            meta: {
                /** Format: api-version */
                apiVersion: string;
                asOf: components["schemas"]["Date"];
                knownAt: components["schemas"]["Instant"] | null;
                /** @description The newest journal that the answer knows. */
                ledgerSeq: number;
                /** @description The last date with data. */
                dataThrough: components["schemas"]["Date"] | null;
                since?: {
                    asOf: components["schemas"]["Date"] | null;
                    knownAt: components["schemas"]["Instant"];
                };
            };
            totals?: components["schemas"]["Total"][];
            reportingTotal?: components["schemas"]["ReportingTotal"];
        };
        PrincipalBalanceList: {
            /** @constant */
            object: "list";
            data: (components["schemas"]["PrincipalBalance"] | components["schemas"]["PrincipalBalanceFields"])[];
            /** @description With updatedSince. */
            removed?: components["schemas"]["RemovedItem"][];
            page: {
                limit: number;
                hasMore: boolean;
                nextCursor: string | null;
            };
            meta: {
                /** Format: api-version */
                apiVersion: string;
                asOf: components["schemas"]["Date"];
                knownAt: components["schemas"]["Instant"] | null;
                /** @description The newest journal that the answer knows. */
                ledgerSeq: number;
                /** @description The last date with data. */
                dataThrough: components["schemas"]["Date"] | null;
                period: {
                    /** @description Null: since inception. */
                    from: components["schemas"]["Date"] | null;
                    to: components["schemas"]["Date"];
                };
                since?: {
                    asOf: components["schemas"]["Date"] | null;
                    knownAt: components["schemas"]["Instant"];
                };
            };
            totals?: components["schemas"]["Total"][];
            reportingTotal?: components["schemas"]["ReportingTotal"];
        };
        PrincipalMovementList: {
            /** @constant */
            object: "list";
            data: components["schemas"]["PrincipalMovement"][];
            page: {
                limit: number;
                hasMore: boolean;
                nextCursor: string | null;
            };
            meta: {
                /** Format: api-version */
                apiVersion: string;
                asOf: components["schemas"]["Date"];
                knownAt: components["schemas"]["Instant"] | null;
                /** @description The newest journal that the answer knows. */
                ledgerSeq: number;
                /** @description The last date with data. */
                dataThrough: components["schemas"]["Date"] | null;
            };
        };
        BalanceLine: components["schemas"]["Balance"] | components["schemas"]["BalanceFields"] | components["schemas"]["RemovedItem"] | components["schemas"]["ExportSummary"];
        PrincipalBalanceLine: components["schemas"]["PrincipalBalance"] | components["schemas"]["PrincipalBalanceFields"] | components["schemas"]["RemovedItem"] | components["schemas"]["ExportSummary"];
        PrincipalMovementLine: components["schemas"]["PrincipalMovement"] | components["schemas"]["ExportSummary"];
        BalanceItem: {
            /** @constant */
            object: "item";
            data: components["schemas"]["Balance"] | components["schemas"]["BalanceFields"];
            meta: {
                /** Format: api-version */
                apiVersion: string;
                asOf: components["schemas"]["Date"];
                knownAt: components["schemas"]["Instant"] | null;
                /** @description The newest journal that the answer knows. */
                ledgerSeq: number;
                /** @description The last date with data. */
                dataThrough: components["schemas"]["Date"] | null;
            };
        };
        Deal: {
            /** @constant */
            object: "deal";
            id: string;
            name: string;
            dealNumber: string;
            /** @enum {string} */
            status: "pending" | "active" | "matured" | "terminated";
            closingDate: components["schemas"]["Date"] | null;
            /** @description Of the caller in the deal; `full` with full control. */
            roles: ("agent" | "lender" | "borrower" | "full")[];
            borrower: {
                id: string;
                name: string;
                country: string;
            };
            agent: components["schemas"]["Party"];
            guarantor: components["schemas"]["Party"] | null;
            /** @description Those whose share the caller may see. */
            lenders: components["schemas"]["Party"][];
            /** @description One per currency. */
            balances: components["schemas"]["Balance"][];
            /** @description The first 100, those at zero too. */
            facilities: components["schemas"]["Balance"][];
            hasMoreFacilities: boolean;
        };
        Caller: {
            /** @constant */
            object: "caller";
            customer: {
                id: string;
                /** @description Of the one party that its grants name; otherwise null. */
                name: string | null;
            };
            /** @enum {string} */
            accountType: "account" | "service_account";
            /** @description Those of the token. */
            permissions: string[];
            /** @description In any deal; `full` with full control. */
            roles: ("agent" | "lender" | "borrower" | "full")[];
            /** @description The lenders and borrowers that its grants name. */
            parties: components["schemas"]["Party"][];
            /** @description Deals that the caller sees; at most 100,000 are counted. */
            dealCount: number;
            hasMoreDeals: boolean;
        };
        CallerItem: {
            /** @constant */
            object: "item";
            data: components["schemas"]["Caller"];
            meta: {
                /** Format: api-version */
                apiVersion: string;
                asOf: components["schemas"]["Date"];
                knownAt: components["schemas"]["Instant"] | null;
                /** @description The newest journal that the answer knows. */
                ledgerSeq: number;
                /** @description The last date with data. */
                dataThrough: components["schemas"]["Date"] | null;
            };
        };
        SummedTotal: {
            currency: components["schemas"]["Currency"];
            count: number;
            principalOutstanding: components["schemas"]["Money"];
            exchangeAdjustment: components["schemas"]["Money"];
            obligation: components["schemas"]["Money"];
            /** @description Left out at level contract: commitments are the facility’s. */
            unfunded?: components["schemas"]["Money"];
            /** @description Null: too many items accrue to add them up. */
            interestAccrued: components["schemas"]["Money"] | null;
            /** @description Null: too many items accrue to add them up. */
            feesAccrued: components["schemas"]["Money"] | null;
            /** @description Current; left out at level contract. */
            commitment?: components["schemas"]["Money"] | null;
            /** @description May be drawn now; left out at level contract. */
            available?: components["schemas"]["Money"] | null;
            /** @description Principal, interest and fees; null: too many items to work it out. */
            pastDue: components["schemas"]["Money"] | null;
            /** @description Items with a warning. */
            warnings: number | null;
        };
        GroupTotal: {
            /** @constant */
            object: "groupTotal";
            /** @enum {string} */
            groupBy: "borrower" | "country" | "facilityType" | "status" | "lender" | "maturityYear";
            /** @description A code, a year, or the id of a party; null: items have none. */
            value: string | null;
            /** @description Of a party. */
            name: string | null;
            currency: components["schemas"]["Currency"];
            count: number;
            principalOutstanding: components["schemas"]["Money"];
            exchangeAdjustment: components["schemas"]["Money"];
            obligation: components["schemas"]["Money"];
            /** @description Left out at level contract: commitments are the facility’s. */
            unfunded?: components["schemas"]["Money"];
            /** @description Null: too many items accrue to add them up. */
            interestAccrued: components["schemas"]["Money"] | null;
            /** @description Null: too many items accrue to add them up. */
            feesAccrued: components["schemas"]["Money"] | null;
            /** @description Current; left out at level contract. */
            commitment?: components["schemas"]["Money"] | null;
            /** @description May be drawn now; left out at level contract. */
            available?: components["schemas"]["Money"] | null;
            /** @description Principal, interest and fees; null: too many items to work it out. */
            pastDue: components["schemas"]["Money"] | null;
            /** @description Items with a warning. */
            warnings: number | null;
        };
        GroupTotalList: {
            /** @constant */
            object: "list";
            /** @description By currency; those with the most outstanding principal first. */
            data: components["schemas"]["GroupTotal"][];
            /** @description Per currency, what the other groups come to. */
            rest: components["schemas"]["SummedTotal"][];
            /** @description Per currency, what all items come to. */
            totals: components["schemas"]["SummedTotal"][];
            meta: {
                /** Format: api-version */
                apiVersion: string;
                asOf: components["schemas"]["Date"];
                knownAt: components["schemas"]["Instant"] | null;
                /** @description The newest journal that the answer knows. */
                ledgerSeq: number;
                /** @description The last date with data. */
                dataThrough: components["schemas"]["Date"] | null;
            };
        };
        DealItem: {
            /** @constant */
            object: "item";
            data: components["schemas"]["Deal"];
            meta: {
                /** Format: api-version */
                apiVersion: string;
                asOf: components["schemas"]["Date"];
                knownAt: components["schemas"]["Instant"] | null;
                /** @description The newest journal that the answer knows. */
                ledgerSeq: number;
                /** @description The last date with data. */
                dataThrough: components["schemas"]["Date"] | null;
            };
        };
        Problem: {
            /** @description The address of the page that explains the code: {base}/docs/errors/{code}. */
            type: string;
            title: string;
            status: number;
            /** @description For people; it may change. */
            detail: string;
            /** @description The path that was asked. */
            instance: string;
            /** @description For programs; it never changes its meaning. */
            code: string;
            /** @description As in X-Request-Id; quote it when something is wrong. */
            requestId: string;
            errors?: {
                parameter: string;
                code: string;
                message: string;
                received?: string;
            }[];
            /** @description The version that was asked. */
            version?: string;
            retiresAt?: string;
            /** @description The version to use instead. */
            successor?: string;
            supportedVersions?: string[];
            /** @description The end of a brownout. */
            until?: string;
        };
    };
    responses: {
        /** @description A parameter is wrong; `errors` has all that are. */
        BadRequest: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description No token was sent. */
        Unauthorized: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The token is expired, not trusted or lacks the permission. */
        Forbidden: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description There is no such record, or it was not granted. */
        NotFound: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description None of the media types of `Accept` is available. */
        NotAcceptable: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description There is no delta for this copy, or the version is not served. */
        Gone: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A rate is missing. */
        NoExchangeRate: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Send the request again after `Retry-After`. */
        TooManyRequests: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                /** @description Seconds. */
                "Retry-After"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Something went wrong on our side. */
        InternalError: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Send the request again after `Retry-After`. */
        Unavailable: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                /** @description Seconds. */
                "Retry-After"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description The version that answered. */
        "API-Version": string;
        /** @description Through `latest`: the same answer at the version that gave it. */
        "Content-Location": string;
        /** @description When the version is deprecated, where that is decided (RFC 9745). */
        Deprecation: string;
        /** @description When the version retires, where that is decided (RFC 8594). */
        Sunset: string;
        /** @description The next page, and other versions (RFC 8288). */
        Link: string;
        /** @description For `If-None-Match`; exports have none. */
        ETag: string;
        /** @description Of exports. */
        "Content-Disposition": string;
        RateLimit: string;
        "RateLimit-Policy": string;
        "X-Request-Id": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listBalances: {
        parameters: {
            query?: {
                /** @description Deals, by id. Expected: a deal id, deal_… or ext:SOURCE:ID. */
                dealId?: string[];
                /** @description Facilities, by id. Expected: a facility id, fac_… or ext:SOURCE:ID. */
                facilityId?: string[];
                /** @description Loan contracts, by id. Expected: a contract id, ctr_… or ext:SOURCE:ID. */
                contractId?: string[];
                /** @description Borrowers, by id. Expected: a party id, pty_… or ext:SOURCE:ID. */
                borrowerId?: string[];
                /** @description Lenders, by id. Expected: a party id, pty_… or ext:SOURCE:ID. */
                lenderId?: string[];
                /** @description Currencies, as ISO 4217 codes. Expected: an ISO 4217 code such as USD. */
                currency?: string[];
                /** @description Countries of the deals. Expected: a two-character country code such as IN. */
                country?: string[];
                /** @description Types of facility. Expected: one of term_loan, revolver, delayed_draw, letter_of_credit, swingline, bridge. */
                facilityType?: ("term_loan" | "revolver" | "delayed_draw" | "letter_of_credit" | "swingline" | "bridge")[];
                /** @description The status of the item itself. Expected: one of pending, active, matured, terminated, repaid, written_off. */
                status?: ("pending" | "active" | "matured" | "terminated" | "repaid" | "written_off")[];
                /** @description Also list items that owe nothing and on which nothing can be drawn. Expected: true or false. */
                includeZero?: boolean;
                /** @description Least outstanding principal, inclusive; needs exactly one `currency`. Expected: a plain decimal such as 1000.00. */
                minOutstanding?: string;
                /** @description Greatest outstanding principal, inclusive; needs exactly one `currency`. Expected: a plain decimal such as 1000.00. */
                maxOutstanding?: string;
                /** @description Only what differs from the answer whose `meta.knownAt` was this. Expected: an instant as 2025-04-01T00:00:00Z. */
                updatedSince?: string;
                /** @description The `meta.asOf` of that answer; with `updatedSince`. Expected: a date as YYYY-MM-DD. */
                sinceAsOf?: string;
                /** @description Effective date, inclusive; default: the last date that the book has data for. Expected: a date as YYYY-MM-DD. */
                asOf?: string;
                /** @description What had been posted by then; default: now. Expected: an instant as 2025-04-01T00:00:00Z. */
                knownAt?: string;
                /** @description What an item is. Expected: one of deal, facility, contract, position. */
                level?: "deal" | "facility" | "contract" | "position";
                /** @description Order of the items; descending with `-` before the name. Expected: one of dealNumber, facilityName, borrower, maturityDate, outstanding, unfunded, or with - before it. */
                sort?: "dealNumber" | "-dealNumber" | "facilityName" | "-facilityName" | "borrower" | "-borrower" | "maturityDate" | "-maturityDate" | "outstanding" | "-outstanding" | "unfunded" | "-unfunded";
                /** @description Only these fields, by path; `object`, `id` and `currency` are always there. Expected: a path such as global.principal.outstanding. */
                fields?: string[];
                /** @description What is added to each item. Expected: one of lenders, accrual, contracts, movements. */
                expand?: ("lenders" | "accrual" | "contracts")[];
                /** @description Totals over the whole filter; without it they come where they are cheap. Expected: totals or none. */
                include?: "totals" | "none";
                /** @description Adds amounts in this currency. Expected: an ISO 4217 code such as USD. */
                reportingCurrency?: string;
                /** @description Day of the exchange rate; with `reportingCurrency`. Expected: a date as YYYY-MM-DD. */
                fxDate?: string;
                /** @description Items of a page; at most 100 with contracts or movements expanded. Expected: a whole number from 1 to 1000. */
                limit?: number;
                /** @description The next page, from `page.nextCursor`. Expected: a cursor from page.nextCursor, unchanged. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, or an export as `Accept` asks. */
            200: {
                headers: {
                    "API-Version": components["headers"]["API-Version"];
                    "Content-Location": components["headers"]["Content-Location"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    ETag: components["headers"]["ETag"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BalanceList"];
                    "application/x-ndjson": components["schemas"]["BalanceLine"];
                    "text/csv": string;
                };
            };
            /** @description The answer has the `ETag` that the client named. */
            304: {
                headers: {
                    "API-Version": components["headers"]["API-Version"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["Gone"];
            422: components["responses"]["NoExchangeRate"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listPrincipalBalances: {
        parameters: {
            query?: {
                /** @description Deals, by id. Expected: a deal id, deal_… or ext:SOURCE:ID. */
                dealId?: string[];
                /** @description Facilities, by id. Expected: a facility id, fac_… or ext:SOURCE:ID. */
                facilityId?: string[];
                /** @description Loan contracts, by id. Expected: a contract id, ctr_… or ext:SOURCE:ID. */
                contractId?: string[];
                /** @description Borrowers, by id. Expected: a party id, pty_… or ext:SOURCE:ID. */
                borrowerId?: string[];
                /** @description Lenders, by id. Expected: a party id, pty_… or ext:SOURCE:ID. */
                lenderId?: string[];
                /** @description Currencies, as ISO 4217 codes. Expected: an ISO 4217 code such as USD. */
                currency?: string[];
                /** @description Countries of the deals. Expected: a two-character country code such as IN. */
                country?: string[];
                /** @description Types of facility. Expected: one of term_loan, revolver, delayed_draw, letter_of_credit, swingline, bridge. */
                facilityType?: ("term_loan" | "revolver" | "delayed_draw" | "letter_of_credit" | "swingline" | "bridge")[];
                /** @description The status of the item itself. Expected: one of pending, active, matured, terminated, repaid, written_off. */
                status?: ("pending" | "active" | "matured" | "terminated" | "repaid" | "written_off")[];
                /** @description Also list items that owe nothing and on which nothing can be drawn. Expected: true or false. */
                includeZero?: boolean;
                /** @description Least outstanding principal, inclusive; needs exactly one `currency`. Expected: a plain decimal such as 1000.00. */
                minOutstanding?: string;
                /** @description Greatest outstanding principal, inclusive; needs exactly one `currency`. Expected: a plain decimal such as 1000.00. */
                maxOutstanding?: string;
                /** @description Only what differs from the answer whose `meta.knownAt` was this. Expected: an instant as 2025-04-01T00:00:00Z. */
                updatedSince?: string;
                /** @description The `meta.asOf` of that answer; with `updatedSince`. Expected: a date as YYYY-MM-DD. */
                sinceAsOf?: string;
                /** @description Effective date, inclusive; default: the last date that the book has data for. Expected: a date as YYYY-MM-DD. */
                asOf?: string;
                /** @description What had been posted by then; default: now. Expected: an instant as 2025-04-01T00:00:00Z. */
                knownAt?: string;
                /** @description First day of a roll-forward; default: since inception. Expected: a date as YYYY-MM-DD. */
                fromDate?: string;
                /** @description Another word for `asOf`; give one of them. Expected: a date as YYYY-MM-DD. */
                toDate?: string;
                /** @description What an item is. Expected: one of deal, facility, contract, position. */
                level?: "deal" | "facility" | "contract" | "position";
                /** @description Order of the items; descending with `-` before the name. Expected: one of dealNumber, facilityName, borrower, maturityDate, outstanding, unfunded, or with - before it. */
                sort?: "dealNumber" | "-dealNumber" | "facilityName" | "-facilityName" | "borrower" | "-borrower" | "maturityDate" | "-maturityDate" | "outstanding" | "-outstanding" | "unfunded" | "-unfunded";
                /** @description Only these fields, by path; `object`, `id` and `currency` are always there. Expected: a path such as global.principal.outstanding. */
                fields?: string[];
                /** @description What is added to each item. Expected: one of lenders, accrual, contracts, movements. */
                expand?: ("lenders" | "contracts" | "movements")[];
                /** @description Totals over the whole filter; without it they come where they are cheap. Expected: totals or none. */
                include?: "totals" | "none";
                /** @description Adds amounts in this currency. Expected: an ISO 4217 code such as USD. */
                reportingCurrency?: string;
                /** @description Day of the exchange rate; with `reportingCurrency`. Expected: a date as YYYY-MM-DD. */
                fxDate?: string;
                /** @description Items of a page; at most 100 with contracts or movements expanded. Expected: a whole number from 1 to 1000. */
                limit?: number;
                /** @description The next page, from `page.nextCursor`. Expected: a cursor from page.nextCursor, unchanged. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, or an export as `Accept` asks. */
            200: {
                headers: {
                    "API-Version": components["headers"]["API-Version"];
                    "Content-Location": components["headers"]["Content-Location"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    ETag: components["headers"]["ETag"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PrincipalBalanceList"];
                    "application/x-ndjson": components["schemas"]["PrincipalBalanceLine"];
                    "text/csv": string;
                };
            };
            /** @description The answer has the `ETag` that the client named. */
            304: {
                headers: {
                    "API-Version": components["headers"]["API-Version"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["Gone"];
            422: components["responses"]["NoExchangeRate"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listPrincipalMovements: {
        parameters: {
            query?: {
                /** @description Deals, by id. Expected: a deal id, deal_… or ext:SOURCE:ID. */
                dealId?: string[];
                /** @description Facilities, by id. Expected: a facility id, fac_… or ext:SOURCE:ID. */
                facilityId?: string[];
                /** @description Loan contracts, by id. Expected: a contract id, ctr_… or ext:SOURCE:ID. */
                contractId?: string[];
                /** @description Borrowers, by id. Expected: a party id, pty_… or ext:SOURCE:ID. */
                borrowerId?: string[];
                /** @description Lenders, by id. Expected: a party id, pty_… or ext:SOURCE:ID. */
                lenderId?: string[];
                /** @description Currencies, as ISO 4217 codes. Expected: an ISO 4217 code such as USD. */
                currency?: string[];
                /** @description Effective date, inclusive; default: the last date that the book has data for. Expected: a date as YYYY-MM-DD. */
                asOf?: string;
                /** @description What had been posted by then; default: now. Expected: an instant as 2025-04-01T00:00:00Z. */
                knownAt?: string;
                /** @description First day of a roll-forward; default: since inception. Expected: a date as YYYY-MM-DD. */
                fromDate?: string;
                /** @description Another word for `asOf`; give one of them. Expected: a date as YYYY-MM-DD. */
                toDate?: string;
                /** @description Items of a page; at most 100 with contracts or movements expanded. Expected: a whole number from 1 to 1000. */
                limit?: number;
                /** @description The next page, from `page.nextCursor`. Expected: a cursor from page.nextCursor, unchanged. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, or an export as `Accept` asks. */
            200: {
                headers: {
                    "API-Version": components["headers"]["API-Version"];
                    "Content-Location": components["headers"]["Content-Location"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    ETag: components["headers"]["ETag"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PrincipalMovementList"];
                    "application/x-ndjson": components["schemas"]["PrincipalMovementLine"];
                    "text/csv": string;
                };
            };
            /** @description The answer has the `ETag` that the client named. */
            304: {
                headers: {
                    "API-Version": components["headers"]["API-Version"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["Gone"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getBalance: {
        parameters: {
            query?: {
                /** @description Effective date, inclusive; default: the last date that the book has data for. Expected: a date as YYYY-MM-DD. */
                asOf?: string;
                /** @description What had been posted by then; default: now. Expected: an instant as 2025-04-01T00:00:00Z. */
                knownAt?: string;
                /** @description Only these fields, by path; `object`, `id` and `currency` are always there. Expected: a path such as global.principal.outstanding. */
                fields?: string[];
                /** @description What is added to each item. Expected: one of lenders, accrual, contracts, movements. */
                expand?: ("lenders" | "accrual" | "contracts")[];
                /** @description Adds amounts in this currency. Expected: an ISO 4217 code such as USD. */
                reportingCurrency?: string;
                /** @description Day of the exchange rate; with `reportingCurrency`. Expected: a date as YYYY-MM-DD. */
                fxDate?: string;
            };
            header?: never;
            path: {
                /** @description The `id` of an item of `/cls/balances`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole answer. */
            200: {
                headers: {
                    "API-Version": components["headers"]["API-Version"];
                    "Content-Location": components["headers"]["Content-Location"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BalanceItem"];
                };
            };
            /** @description The answer has the `ETag` that the client named. */
            304: {
                headers: {
                    "API-Version": components["headers"]["API-Version"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["Gone"];
            422: components["responses"]["NoExchangeRate"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getDeal: {
        parameters: {
            query?: {
                /** @description Effective date, inclusive; default: the last date that the book has data for. Expected: a date as YYYY-MM-DD. */
                asOf?: string;
                /** @description What had been posted by then; default: now. Expected: an instant as 2025-04-01T00:00:00Z. */
                knownAt?: string;
                /** @description What is added to each item. Expected: one of lenders, accrual, contracts, movements. */
                expand?: ("lenders" | "accrual" | "contracts")[];
                /** @description Adds amounts in this currency. Expected: an ISO 4217 code such as USD. */
                reportingCurrency?: string;
                /** @description Day of the exchange rate; with `reportingCurrency`. Expected: a date as YYYY-MM-DD. */
                fxDate?: string;
            };
            header?: never;
            path: {
                /** @description The id of a deal. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole answer. */
            200: {
                headers: {
                    "API-Version": components["headers"]["API-Version"];
                    "Content-Location": components["headers"]["Content-Location"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DealItem"];
                };
            };
            /** @description The answer has the `ETag` that the client named. */
            304: {
                headers: {
                    "API-Version": components["headers"]["API-Version"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["Gone"];
            422: components["responses"]["NoExchangeRate"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getCaller: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole answer. */
            200: {
                headers: {
                    "API-Version": components["headers"]["API-Version"];
                    "Content-Location": components["headers"]["Content-Location"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallerItem"];
                };
            };
            /** @description The answer has the `ETag` that the client named. */
            304: {
                headers: {
                    "API-Version": components["headers"]["API-Version"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["Gone"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listGroupTotals: {
        parameters: {
            query?: {
                /** @description Deals, by id. Expected: a deal id, deal_… or ext:SOURCE:ID. */
                dealId?: string[];
                /** @description Facilities, by id. Expected: a facility id, fac_… or ext:SOURCE:ID. */
                facilityId?: string[];
                /** @description Loan contracts, by id. Expected: a contract id, ctr_… or ext:SOURCE:ID. */
                contractId?: string[];
                /** @description Borrowers, by id. Expected: a party id, pty_… or ext:SOURCE:ID. */
                borrowerId?: string[];
                /** @description Lenders, by id. Expected: a party id, pty_… or ext:SOURCE:ID. */
                lenderId?: string[];
                /** @description Currencies, as ISO 4217 codes. Expected: an ISO 4217 code such as USD. */
                currency?: string[];
                /** @description Countries of the deals. Expected: a two-character country code such as IN. */
                country?: string[];
                /** @description Types of facility. Expected: one of term_loan, revolver, delayed_draw, letter_of_credit, swingline, bridge. */
                facilityType?: ("term_loan" | "revolver" | "delayed_draw" | "letter_of_credit" | "swingline" | "bridge")[];
                /** @description The status of the item itself. Expected: one of pending, active, matured, terminated, repaid, written_off. */
                status?: ("pending" | "active" | "matured" | "terminated" | "repaid" | "written_off")[];
                /** @description Also list items that owe nothing and on which nothing can be drawn. Expected: true or false. */
                includeZero?: boolean;
                /** @description Least outstanding principal, inclusive; needs exactly one `currency`. Expected: a plain decimal such as 1000.00. */
                minOutstanding?: string;
                /** @description Greatest outstanding principal, inclusive; needs exactly one `currency`. Expected: a plain decimal such as 1000.00. */
                maxOutstanding?: string;
                /** @description Effective date, inclusive; default: the last date that the book has data for. Expected: a date as YYYY-MM-DD. */
                asOf?: string;
                /** @description What had been posted by then; default: now. Expected: an instant as 2025-04-01T00:00:00Z. */
                knownAt?: string;
                /** @description What an item is. Expected: one of deal, facility, contract, position. */
                level?: "deal" | "facility" | "contract" | "position";
                /** @description What items are grouped by, beside the currency; `lender` at level position alone. Expected: one of borrower, country, facilityType, status, lender, maturityYear. */
                groupBy?: "borrower" | "country" | "facilityType" | "status" | "lender" | "maturityYear";
                /** @description Groups of each currency that are told one by one. Expected: a whole number from 1 to 1000. */
                top?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole answer. */
            200: {
                headers: {
                    "API-Version": components["headers"]["API-Version"];
                    "Content-Location": components["headers"]["Content-Location"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    Link: components["headers"]["Link"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GroupTotalList"];
                };
            };
            /** @description The answer has the `ETag` that the client named. */
            304: {
                headers: {
                    "API-Version": components["headers"]["API-Version"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["Gone"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
}

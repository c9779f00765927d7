// Made by `npm run contracts` from packages/resource-api/contracts/v1.json.
export interface paths {
    "/cls/balances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Balances of deals, facilities, contracts or positions
         * @description What is committed, drawn, accrued, billed and past due at a date: globally, and for each lender whose share the caller may see. Asked with `knownAt`, it answers as it would have answered then. A deal that was not granted is not in the list.
         */
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
        /**
         * Principal, rolled forward over a period
         * @description Opening principal, what changed it, and closing principal: opening and movements are always the closing amount. Without `fromDate`, since the inception of each loan.
         */
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
        /**
         * The postings of principal behind a roll-forward
         * @description One item for each posting, globally and for each lender whose share the caller may see, with its journal: what happened, when it was true, and when it was recorded.
         */
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
        /**
         * One balance, by the id that it has in the list
         * @description The same item that the list has, at the date and state of knowledge that you ask for. The id of an item does not change.
         */
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
        /**
         * A deal with its parties, balances and facilities
         * @description Who takes part in the deal, what the caller is in it, its balance for each currency, and the balances of its facilities.
         */
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
        /**
         * Who the caller is, and what it may see
         * @description What the service makes of your token: the customer, its permissions and roles, and how many deals it sees. Ask it first when a list is empty.
         */
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
        /**
         * What balances come to, by borrower, country, type, status, lender or maturity
         * @description Adds up the items of the list in groups, for each currency by itself: the largest groups one by one, the others together, and all of them.
         */
        get: operations["listGroupTotals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cls/facets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How many balances have which country, currency, status, lender, borrower or type
         * @description The choices that a filter has, with the number of items that each leaves: the most frequent values first, of what the caller sees.
         */
        get: operations["listFacets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cls/balances/principal/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How principal moved, by month, quarter, year or day of movement
         * @description For each currency a roll-forward for each interval, added up over the items that the filter finds at the end of the period, zero or not. Each is what principal balances answer for these days.
         */
        get: operations["listPrincipalSeries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cls/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Files that your customer posted
         * @description The newest first, until 30 days after their end.
         */
        get: operations["listImports"];
        put?: never;
        /**
         * Check a statement or a journal file, or post it
         * @description The file is the body of the request. The answer names a job, which checks the file and, with `apply=true`, posts it in one transaction. The same `Idempotency-Key` with the same file and parameters gets the same job, for as long as the job is kept. A source belongs to the customer that posted its first statement: statements of another customer’s source, or of one that only the operator imports, are refused. A journal file can name any deal of the book: to post one, the token needs `external-api.fullcontrol` as well.
         */
        post: operations["postImport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cls/imports/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A posted file, and what became of it
         * @description Ask until `status` is neither `queued` nor `running`. The report lists faults by row and column.
         */
        get: operations["getImport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cls/import-profiles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Profiles that statements are read by
         * @description A profile says how the columns of a sender’s statement are read. They are those of your customer, and those of the operator where yours has none of the name.
         */
        get: operations["listImportProfiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cls/import-profiles/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A profile
         * @description As it was registered.
         */
        get: operations["getImportProfile"];
        /**
         * Register a profile
         * @description The profile takes the place of your customer’s one with the same name; other customers do not see it. Its member `name` must be the name of the path. It makes no sanity check weaker than it is by itself: a check is accepted at the import, with the reason.
         */
        put: operations["putImportProfile"];
        post?: never;
        /**
         * Remove a profile
         * @description Of your customer alone. Jobs that were posted keep it.
         */
        delete: operations["deleteImportProfile"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cls/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Your customer’s use of the API, by day, client, version and operation
         * @description Requests with a valid token are counted, whatever the answer, and appear within seconds. A client is a service account or an application; who of its people asked is not told.
         */
        get: operations["listVersionUses"];
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
        /** @description A fraction of one: `0.0475` is 4.75 %. */
        Rate: string;
        /** @description A code of ISO 4217. */
        Currency: string;
        /**
         * Format: date
         * @description A day of the calendar, such as `2025-03-31`.
         */
        CalendarDate: string;
        /**
         * Format: date-time
         * @description RFC 3339 in UTC, to the microsecond.
         */
        Instant: string;
        /** @description A decimal with exactly the digits of its currency (ISO 4217). */
        MoneyOrNull: string | null;
        /** @description A fraction of one: `0.0475` is 4.75 %. */
        RateOrNull: string | null;
        /**
         * Format: date
         * @description A day of the calendar, such as `2025-03-31`.
         */
        CalendarDateOrNull: string | null;
        /**
         * Format: date-time
         * @description RFC 3339 in UTC, to the microsecond.
         */
        InstantOrNull: string | null;
        /** @description A borrower, lender, agent or guarantor. */
        Party: {
            /** @description The id of the party. */
            id: string;
            /** @description The name at the date. */
            name: string;
        };
        /** @description What the lenders of a deal commit to: a term loan, a revolver, letters of credit. */
        Facility: {
            /** @description The id of the facility. */
            id: string;
            /** @description The name at the date. */
            name: string;
            /** @description Such as `term_loan` or `revolver`. */
            type: string;
            /** @description In which the lenders committed. */
            currency: components["schemas"]["Currency"];
            /** @description When it must be repaid; null: no such day is known. */
            maturityDate: components["schemas"]["CalendarDateOrNull"];
            /** @description The facility that it is carved out of. */
            sublimitOf: string | null;
        };
        /** @description One drawing under a facility, with its own dates and rate. */
        Contract: {
            /** @description The id of the loan contract. */
            id: string;
            /** @description The number that the agent gave it. */
            contractNumber: string;
            /** @description When it must be repaid; null: no such day is known. */
            maturityDate: components["schemas"]["CalendarDateOrNull"];
        };
        /** @description What is committed, drawn, accrued, billed and past due at a date. */
        Amounts: {
            /** @description What the lenders are bound to lend. */
            commitment: {
                /** @description What the lenders committed at first. */
                original: components["schemas"]["Money"];
                /** @description Commitment given up or expired. */
                cancelled: components["schemas"]["Money"];
                /** @description Funded, letters of credit, used under sublimits, and unfunded. */
                current: components["schemas"]["Money"];
                /** @description Principal drawn: in cash, and capitalised where that uses the commitment. */
                funded: components["schemas"]["Money"];
                /** @description Committed and not drawn: of it, some may be unavailable. */
                unfunded: components["schemas"]["Money"];
                /** @description May be drawn now: nothing after the availability period or maturity. Globally never below zero; of a lender that funds more than its commitment it is, so that lenders add up. */
                available: components["schemas"]["Money"];
                /** @description Unfunded, and blocked from drawing. */
                unavailable: components["schemas"]["Money"];
                /** @description Letters of credit issued under the commitment. */
                letterOfCredit: components["schemas"]["Money"];
                /** @description Drawn under the facility’s sublimits. */
                sublimitUsed: components["schemas"]["Money"];
            };
            /** @description The money that was lent. */
            principal: {
                /** @description Cash and capitalised principal that is owed. */
                outstanding: components["schemas"]["Money"];
                /** @description Principal advanced in cash. */
                cash: components["schemas"]["Money"];
                /** @description Interest that was capitalised (payment in kind), and capitalised fees. */
                pikCapitalized: components["schemas"]["Money"];
                /** @description Principal that was billed and is not paid; from the day after maturity, all that is outstanding. */
                due: components["schemas"]["Money"];
                /** @description The part of the amount due whose due date has passed. */
                pastDue: components["schemas"]["Money"];
                /** @description Revaluation of what is owed in other currencies. */
                exchangeAdjustment: components["schemas"]["Money"];
                /** @description Outstanding and exchange adjustment: what is owed. */
                obligation: components["schemas"]["Money"];
            };
            /** @description Interest by the day, and as it was billed. */
            interest: {
                /** @description Cash interest that is not billed yet, to the end of the date. */
                accrued: components["schemas"]["Money"];
                /** @description Interest that will be capitalised, not billed yet. */
                pikAccrued: components["schemas"]["Money"];
                /** @description Interest that was billed and is not paid. */
                due: components["schemas"]["Money"];
                /** @description The part of the amount due whose due date has passed. */
                pastDue: components["schemas"]["Money"];
            };
            /** @description Commitment and letter-of-credit fees. */
            fees: {
                /** @description Commitment and letter-of-credit fees that are not billed yet. */
                accrued: components["schemas"]["Money"];
                /** @description Fees that were billed and are not paid. */
                due: components["schemas"]["Money"];
                /** @description The part of the amount due whose due date has passed. */
                pastDue: components["schemas"]["Money"];
            };
            /** @description Everything that is owed. */
            total: {
                /** @description Principal, interest and fees that are owed. */
                outstanding: components["schemas"]["Money"];
                /** @description Principal, interest and fees that are past due. */
                pastDue: components["schemas"]["Money"];
            };
        };
        /** @description One lender’s part of the amounts. The shares add up to the global amounts, to the unit. */
        Share: {
            /** @description Whose share it is. */
            lender: components["schemas"]["Party"];
            /** @description The share of the commitment, cut at twelve decimals; null: nothing is committed. */
            fraction: string | null;
            /** @description What the lenders are bound to lend. */
            commitment: {
                /** @description What the lenders committed at first. */
                original: components["schemas"]["Money"];
                /** @description Commitment given up or expired. */
                cancelled: components["schemas"]["Money"];
                /** @description Funded, letters of credit, used under sublimits, and unfunded. */
                current: components["schemas"]["Money"];
                /** @description Principal drawn: in cash, and capitalised where that uses the commitment. */
                funded: components["schemas"]["Money"];
                /** @description Committed and not drawn: of it, some may be unavailable. */
                unfunded: components["schemas"]["Money"];
                /** @description May be drawn now: nothing after the availability period or maturity. Globally never below zero; of a lender that funds more than its commitment it is, so that lenders add up. */
                available: components["schemas"]["Money"];
                /** @description Unfunded, and blocked from drawing. */
                unavailable: components["schemas"]["Money"];
                /** @description Letters of credit issued under the commitment. */
                letterOfCredit: components["schemas"]["Money"];
                /** @description Drawn under the facility’s sublimits. */
                sublimitUsed: components["schemas"]["Money"];
            };
            /** @description The money that was lent. */
            principal: {
                /** @description Cash and capitalised principal that is owed. */
                outstanding: components["schemas"]["Money"];
                /** @description Principal advanced in cash. */
                cash: components["schemas"]["Money"];
                /** @description Interest that was capitalised (payment in kind), and capitalised fees. */
                pikCapitalized: components["schemas"]["Money"];
                /** @description Principal that was billed and is not paid; from the day after maturity, all that is outstanding. */
                due: components["schemas"]["Money"];
                /** @description The part of the amount due whose due date has passed. */
                pastDue: components["schemas"]["Money"];
                /** @description Revaluation of what is owed in other currencies. */
                exchangeAdjustment: components["schemas"]["Money"];
                /** @description Outstanding and exchange adjustment: what is owed. */
                obligation: components["schemas"]["Money"];
            };
            /** @description Interest by the day, and as it was billed. */
            interest: {
                /** @description Cash interest that is not billed yet, to the end of the date. */
                accrued: components["schemas"]["Money"];
                /** @description Interest that will be capitalised, not billed yet. */
                pikAccrued: components["schemas"]["Money"];
                /** @description Interest that was billed and is not paid. */
                due: components["schemas"]["Money"];
                /** @description The part of the amount due whose due date has passed. */
                pastDue: components["schemas"]["Money"];
            };
            /** @description Commitment and letter-of-credit fees. */
            fees: {
                /** @description Commitment and letter-of-credit fees that are not billed yet. */
                accrued: components["schemas"]["Money"];
                /** @description Fees that were billed and are not paid. */
                due: components["schemas"]["Money"];
                /** @description The part of the amount due whose due date has passed. */
                pastDue: components["schemas"]["Money"];
            };
            /** @description Everything that is owed. */
            total: {
                /** @description Principal, interest and fees that are owed. */
                outstanding: components["schemas"]["Money"];
                /** @description Principal, interest and fees that are past due. */
                pastDue: components["schemas"]["Money"];
            };
        };
        /** @description Principal before a period, what changed it, and principal after it. */
        RollForward: {
            /** @description Principal at the end of the day before the period. */
            opening: components["schemas"]["Money"];
            /** @description Changes of principal in the period. A reversal stands under what it takes back. */
            movements: {
                /** @description Principal that was lent. */
                advances: components["schemas"]["Money"];
                /** @description Repaid as agreed; negative. */
                scheduledRepayments: components["schemas"]["Money"];
                /** @description Repaid early by the borrower’s choice; negative. */
                voluntaryPrepayments: components["schemas"]["Money"];
                /** @description Repaid early because the agreement asks for it; negative. */
                mandatoryPrepayments: components["schemas"]["Money"];
                /** @description Interest that became principal (payment in kind). */
                pikCapitalized: components["schemas"]["Money"];
                /** @description Fees that became principal. */
                feesCapitalized: components["schemas"]["Money"];
                /** @description Principal that was given up; negative. */
                writeOffs: components["schemas"]["Money"];
                /** @description From one loan contract to the next: zero per facility. */
                rollovers: components["schemas"]["Money"];
                /** @description From one lender to another: zero globally. */
                transfers: components["schemas"]["Money"];
                /** @description Corrections that are none of the others. */
                adjustments: components["schemas"]["Money"];
            };
            /** @description Opening and movements: principal at the end of the period. */
            closing: components["schemas"]["Money"];
            /** @description Revaluation of what is owed in other currencies. */
            exchangeAdjustment: components["schemas"]["Money"];
            /** @description Closing and exchange adjustment: what is owed. */
            obligation: components["schemas"]["Money"];
        };
        /** @description One lender’s part of a roll-forward. */
        RollForwardShare: {
            /** @description Whose share it is. */
            lender: components["schemas"]["Party"];
            /** @description The share of the commitment, cut at twelve decimals; null: nothing is committed. */
            fraction: string | null;
            /** @description Principal at the end of the day before the period. */
            opening: components["schemas"]["Money"];
            /** @description Changes of principal in the period. A reversal stands under what it takes back. */
            movements: {
                /** @description Principal that was lent. */
                advances: components["schemas"]["Money"];
                /** @description Repaid as agreed; negative. */
                scheduledRepayments: components["schemas"]["Money"];
                /** @description Repaid early by the borrower’s choice; negative. */
                voluntaryPrepayments: components["schemas"]["Money"];
                /** @description Repaid early because the agreement asks for it; negative. */
                mandatoryPrepayments: components["schemas"]["Money"];
                /** @description Interest that became principal (payment in kind). */
                pikCapitalized: components["schemas"]["Money"];
                /** @description Fees that became principal. */
                feesCapitalized: components["schemas"]["Money"];
                /** @description Principal that was given up; negative. */
                writeOffs: components["schemas"]["Money"];
                /** @description From one loan contract to the next: zero per facility. */
                rollovers: components["schemas"]["Money"];
                /** @description From one lender to another: zero globally. */
                transfers: components["schemas"]["Money"];
                /** @description Corrections that are none of the others. */
                adjustments: components["schemas"]["Money"];
            };
            /** @description Opening and movements: principal at the end of the period. */
            closing: components["schemas"]["Money"];
            /** @description Revaluation of what is owed in other currencies. */
            exchangeAdjustment: components["schemas"]["Money"];
            /** @description Closing and exchange adjustment: what is owed. */
            obligation: components["schemas"]["Money"];
        };
        /** @description One lender’s part of the closing principal. */
        ClosingShare: {
            /** @description Whose share it is. */
            lender: components["schemas"]["Party"];
            /** @description The share of the commitment, cut at twelve decimals; null: nothing is committed. */
            fraction: string | null;
            /** @description Principal at the end of the period. */
            closing: components["schemas"]["Money"];
        };
        /** @description How an accrued amount comes about: the sum of its periods, rounded once. */
        Accrual: {
            /**
             * @description What accrues: cash interest, interest that will be capitalised, or a fee.
             * @enum {string}
             */
            component: "interest" | "pik" | "commitment_fee" | "letter_of_credit_fee";
            /** @description The facility under which it accrues. */
            facilityId: string;
            /** @description The loan contract; null: a fee of the facility. */
            contractId: string | null;
            /** @description The first day that accrues. */
            start: components["schemas"]["CalendarDate"];
            /** @description The day after the last one that accrues. */
            end: components["schemas"]["CalendarDate"];
            /**
             * @description How days become a fraction of a year.
             * @enum {string}
             */
            dayCount: "ACT/360" | "ACT/365F" | "30/360" | "ACT/ACT";
            /** @description The sum of the periods, rounded half away from zero, once. */
            amount: components["schemas"]["Money"];
            /** @description The bill that is corrected: the amount is less what was billed. */
            corrects: {
                /** @description The journal that billed it. */
                journal: string;
                /** @description What it billed. */
                billed: components["schemas"]["Money"];
            } | null;
            /** @description Of one balance and one rate each. */
            periods: components["schemas"]["AccrualPeriod"][];
        };
        /** @description Days with one balance and one rate. */
        AccrualPeriod: {
            /** @description The first day of the period. */
            start: components["schemas"]["CalendarDate"];
            /** @description The day after its last one. */
            end: components["schemas"]["CalendarDate"];
            /** @description Days by the day count. */
            days: number;
            /** @description What interest or the fee is computed on. */
            balance: components["schemas"]["Money"];
            /** @description All in: base rate, spread and credit spread adjustment. */
            rate: components["schemas"]["Rate"];
            /** @description The reference rate, such as SOFR; null: a fixed rate. */
            baseRateIndex: string | null;
            /** @description The reference rate as it was fixed. */
            baseRate: components["schemas"]["RateOrNull"];
            /** @description The margin over the reference rate. */
            spread: components["schemas"]["RateOrNull"];
            /** @description The credit spread adjustment. */
            csa: components["schemas"]["RateOrNull"];
            /** @description With twelve decimals, not rounded to the currency. */
            amount: components["schemas"]["Money"];
        };
        /** @description The main amounts of an item in another currency. */
        Reporting: {
            /** @description The currency that was asked for. */
            currency: components["schemas"]["Currency"];
            /** @description Units of the reporting currency for one of the item’s. */
            rate: components["schemas"]["Rate"];
            /** @description The day of the rate: the newest on or before the one asked for. */
            rateDate: components["schemas"]["CalendarDate"];
            /** @description Who quoted the rate. */
            source: string;
            /** @description Outstanding principal, exchanged. */
            principalOutstanding: components["schemas"]["Money"];
            /** @description Commitment that is not drawn, exchanged. */
            unfunded: components["schemas"]["Money"];
            /** @description Interest that is accrued and not billed, exchanged. */
            interestAccrued: components["schemas"]["Money"];
        };
        /** @description The main amounts of all items in the reporting currency. */
        ReportingTotal: {
            /** @description The currency that was asked for. */
            currency: components["schemas"]["Currency"];
            /** @description Outstanding principal, exchanged. */
            principalOutstanding: components["schemas"]["Money"];
            /** @description Commitment that is not drawn, exchanged. */
            unfunded: components["schemas"]["Money"];
            /** @description Interest that is accrued and not billed, exchanged. */
            interestAccrued: components["schemas"]["Money"];
        };
        /** @description Amounts of all items in one currency, over the whole filter. */
        Total: {
            /** @description Amounts of different currencies are never added up. */
            currency: components["schemas"]["Currency"];
            /** @description How many items were added up. */
            count: number;
            /** @description Outstanding principal of all items. */
            principalOutstanding: components["schemas"]["Money"];
            /** @description Revaluation of principal that is owed in other currencies. */
            exchangeAdjustment: components["schemas"]["Money"];
            /** @description Outstanding principal and exchange adjustment. */
            obligation: components["schemas"]["Money"];
            /** @description Commitment that is not drawn. Left out at level contract: commitments are the facility’s. */
            unfunded?: components["schemas"]["Money"];
            /** @description Interest that is accrued and not billed; null: too many items accrue to add them up. */
            interestAccrued: components["schemas"]["MoneyOrNull"];
            /** @description Fees that are accrued and not billed; null: too many items accrue to add them up. */
            feesAccrued: components["schemas"]["MoneyOrNull"];
        };
        Terms: {
            /** @description Who keeps the register for the lenders. */
            agent: components["schemas"]["Party"];
            /** @description From when on it is in force; of a deal, when it was signed. */
            effectiveDate: components["schemas"]["CalendarDateOrNull"];
            /** @description The next day on which something that was billed is due; null: nothing is billed for later. */
            nextPaymentDate: components["schemas"]["CalendarDateOrNull"];
            /** @description How days are counted, such as ACT/360; null of a deal. */
            dayCount: string | null;
            /** @description Of a contract at the date; null where the book has no rate. */
            rate: {
                /** @description What interest accrues by. */
                allIn: components["schemas"]["Rate"];
                /** @description The base rate in it. */
                base: components["schemas"]["RateOrNull"];
                /** @description The spread over the base rate. */
                margin: components["schemas"]["RateOrNull"];
                /** @description The credit spread adjustment in it. */
                adjustment: components["schemas"]["RateOrNull"];
                /** @description Which base rate it is, such as SOFR. */
                index: string | null;
                /** @description From when on it holds. */
                since: components["schemas"]["CalendarDate"];
            } | null;
            /** @description The interest rate that a statement or the terms state for the loan contract; null at other levels. */
            allInRate: components["schemas"]["RateOrNull"];
            /** @description Those that the caller may see. */
            positions: {
                /** @description Of the position. */
                id: string;
                /** @description The facility that it is in. */
                facilityId: string;
                /** @description Who holds it. */
                lender: components["schemas"]["Party"];
                /**
                 * @description Whether the lender is one of record, or takes part in the share of one.
                 * @enum {string}
                 */
                kind: "assignment" | "participation";
            }[];
        };
        /** @description The balance of a deal, facility, loan contract or lender’s position at a date. */
        Balance: {
            /**
             * @description The kind of object.
             * @constant
             */
            object: "balance";
            /** @description The id of the item: the same on every date. */
            id: string;
            /**
             * @description What the item is a balance of.
             * @enum {string}
             */
            level: "deal" | "facility" | "contract" | "position";
            /** @description The credit agreement that the item belongs to. */
            deal: {
                /** @description The id of the deal. */
                id: string;
                /** @description The name at the date. */
                name: string;
                /** @description The number that the agent gave it. */
                dealNumber: string;
            };
            /** @description The facility of the item; null at level deal. */
            facility: components["schemas"]["Facility"] | null;
            /** @description The loan contract; null at every other level. */
            contract: components["schemas"]["Contract"] | null;
            /** @description One lender’s part of the facility; at level position alone. */
            position?: {
                /** @description The id of the position. */
                id: string;
                /**
                 * @description Lender of record by assignment, or behind one by participation.
                 * @enum {string}
                 */
                kind: "assignment" | "participation";
            };
            /** @description Who owes the amounts. */
            borrower: {
                /** @description The id of the borrower. */
                id: string;
                /** @description The name at the date. */
                name: string;
                /** @description Two characters, such as IN: ISO 3166 where the country has a code there. */
                country: string;
            };
            /** @description The currency of all amounts of the item, unless they say otherwise. */
            currency: components["schemas"]["Currency"];
            /** @description The amounts of all lenders together. */
            global: components["schemas"]["Amounts"];
            /** @description The share of the caller, of the position, or of the one lender asked for; otherwise null. */
            share: components["schemas"]["Share"] | null;
            /** @description Every lender’s share that the caller may see. All shares add up to the global amount. Absent at level position, where `share` is the one of the position. */
            lenders?: components["schemas"]["Share"][];
            /** @description At the date. */
            status: {
                /**
                 * @description The status of the deal at the date.
                 * @enum {string}
                 */
                deal: "pending" | "active" | "matured" | "terminated";
                /**
                 * @description The status of the facility at the date.
                 * @enum {string}
                 */
                facility?: "pending" | "active" | "matured" | "terminated";
                /**
                 * @description The status of the loan contract at the date.
                 * @enum {string}
                 */
                contract?: "pending" | "active" | "repaid" | "written_off";
                /** @description Since the oldest unpaid due date; a maturity is one. */
                daysPastDue: number;
            };
            /** @description With `expand=accrual`: how each accrued amount comes about. */
            accrual?: components["schemas"]["Accrual"][];
            /** @description With expand=terms. */
            terms?: components["schemas"]["Terms"];
            /** @description With `expand=rates`: the interest rates of a contract until the date, the oldest first. */
            rates?: {
                /** @description What interest accrues by. */
                allIn: components["schemas"]["Rate"];
                /** @description The base rate in it. */
                base: components["schemas"]["RateOrNull"];
                /** @description The spread over the base rate. */
                margin: components["schemas"]["RateOrNull"];
                /** @description The credit spread adjustment in it. */
                adjustment: components["schemas"]["RateOrNull"];
                /** @description Which base rate it is, such as SOFR. */
                index: string | null;
                /** @description From when on it holds. */
                since: components["schemas"]["CalendarDate"];
            }[];
            /** @description With `reportingCurrency`: amounts in that currency. */
            reporting?: components["schemas"]["Reporting"];
            /** @description With `expand=contracts`: the loan contracts of the item. */
            contracts?: components["schemas"]["Balance"][];
            /** @description What the item was computed from. */
            provenance: {
                /** @description The newest effective date of its postings; null: nothing was posted to it yet. */
                lastEffectiveDate: components["schemas"]["CalendarDateOrNull"];
                /** @description When its newest posting was recorded. */
                lastPostedAt: components["schemas"]["InstantOrNull"];
                /** @description The newest journal that the item depends on. */
                ledgerSeq: number;
                /** @description Whether something else was reported of the same date before. */
                restated: boolean;
                /** @description What was reported of the same date before, with the names of the lenders as they were known then. */
                restatedFrom: {
                    /** @description When that was known. */
                    knownAt: components["schemas"]["Instant"];
                    /** @description The amounts of all lenders together. */
                    global: components["schemas"]["Amounts"];
                    /** @description The share of the caller, of the position, or of the one lender asked for; otherwise null. */
                    share: components["schemas"]["Share"] | null;
                    /** @description Every lender’s share that the caller may see. All shares add up to the global amount. Absent at level position, where `share` is the one of the position. */
                    lenders?: components["schemas"]["Share"][];
                } | null;
            };
            /** @description Such as `negative_outstanding`: more was repaid than was owed; `overadvance`: drawn beyond the commitment; `lender_beyond_commitment`: a lender funds more than its commitment; `past_maturity`: matured and not repaid. Real books hold such balances, and they are not hidden. */
            warnings: string[];
            /** @description With `compareAsOf` or `compareKnownAt`: the same item at the other time, whatever the filters would find then; null: it was not there. */
            compared?: components["schemas"]["BalanceFields"] | null;
        };
        /** @description The principal of a deal, facility, loan contract or lender’s position, rolled forward. */
        PrincipalBalance: {
            /**
             * @description The kind of object.
             * @constant
             */
            object: "principalBalance";
            /** @description The id of the item: the same on every date. */
            id: string;
            /**
             * @description What the item is a balance of.
             * @enum {string}
             */
            level: "deal" | "facility" | "contract" | "position";
            /** @description The credit agreement that the item belongs to. */
            deal: {
                /** @description The id of the deal. */
                id: string;
                /** @description The name at the date. */
                name: string;
                /** @description The number that the agent gave it. */
                dealNumber: string;
            };
            /** @description The facility of the item; null at level deal. */
            facility: components["schemas"]["Facility"] | null;
            /** @description The loan contract; null at every other level. */
            contract: components["schemas"]["Contract"] | null;
            /** @description One lender’s part of the facility; at level position alone. */
            position?: {
                /** @description The id of the position. */
                id: string;
                /**
                 * @description Lender of record by assignment, or behind one by participation.
                 * @enum {string}
                 */
                kind: "assignment" | "participation";
            };
            /** @description Who owes the amounts. */
            borrower: {
                /** @description The id of the borrower. */
                id: string;
                /** @description The name at the date. */
                name: string;
                /** @description Two characters, such as IN: ISO 3166 where the country has a code there. */
                country: string;
            };
            /** @description The currency of all amounts of the item, unless they say otherwise. */
            currency: components["schemas"]["Currency"];
            /** @description The amounts of all lenders together. */
            global: components["schemas"]["RollForward"];
            /** @description The share of the caller, of the position, or of the one lender asked for; otherwise null. */
            share: components["schemas"]["RollForwardShare"] | null;
            /** @description Every lender’s share that the caller may see. All shares add up to the global amount. Absent at level position, where `share` is the one of the position. */
            lenders?: components["schemas"]["RollForwardShare"][];
            /** @description Whatever the period is. */
            sinceInception: {
                /** @description All principal that was ever lent. */
                advanced: components["schemas"]["Money"];
                /** @description All principal that was ever repaid. */
                repaid: components["schemas"]["Money"];
            };
            /** @description The interest rate of the loan contract; null at other levels. */
            allInRate: components["schemas"]["RateOrNull"];
            /** @description At the date. */
            status: {
                /**
                 * @description The status of the deal at the date.
                 * @enum {string}
                 */
                deal: "pending" | "active" | "matured" | "terminated";
                /**
                 * @description The status of the facility at the date.
                 * @enum {string}
                 */
                facility?: "pending" | "active" | "matured" | "terminated";
                /**
                 * @description The status of the loan contract at the date.
                 * @enum {string}
                 */
                contract?: "pending" | "active" | "repaid" | "written_off";
            };
            /** @description Postings of principal in the period; at level position, of the whole facility. */
            movementCount: number;
            /** @description How many of them reverse others. */
            reversedCount: number;
            /** @description Where to read on. */
            links: {
                /**
                 * Format: uri-reference
                 * @description The postings behind the numbers, as they were known for this answer.
                 */
                movements: string;
            };
            /** @description With `expand=movements`: the first 100 postings behind the numbers. */
            movements?: components["schemas"]["PrincipalMovement"][];
            /** @description With `reportingCurrency`: amounts in that currency. */
            reporting?: components["schemas"]["Reporting"];
            /** @description With `expand=contracts`: the loan contracts of the item. */
            contracts?: components["schemas"]["PrincipalBalance"][];
            /** @description What the item was computed from. */
            provenance: {
                /** @description The newest effective date of its postings; null: nothing was posted to it yet. */
                lastEffectiveDate: components["schemas"]["CalendarDateOrNull"];
                /** @description When its newest posting was recorded. */
                lastPostedAt: components["schemas"]["InstantOrNull"];
                /** @description The newest journal that the item depends on. */
                ledgerSeq: number;
                /** @description Whether something else was reported of the same date before. */
                restated: boolean;
                /** @description What was reported of the same date before, with the names of the lenders as they were known then. */
                restatedFrom: {
                    /** @description When that was known. */
                    knownAt: components["schemas"]["Instant"];
                    /** @description Principal at the end of the period. */
                    closing: components["schemas"]["Money"];
                    /** @description As it was reported. */
                    share: components["schemas"]["ClosingShare"] | null;
                    /** @description As they were reported. */
                    lenders?: components["schemas"]["ClosingShare"][];
                } | null;
            };
            /** @description Such as `negative_outstanding`: more was repaid than was owed; `overadvance`: drawn beyond the commitment; `lender_beyond_commitment`: a lender funds more than its commitment; `past_maturity`: matured and not repaid. Real books hold such balances, and they are not hidden. */
            warnings: string[];
        };
        /** @description One posting of principal: globally, or for one lender. */
        PrincipalMovement: {
            /**
             * @description The kind of object. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            object: "principalMovement";
            /** @description The id of the posting: it never changes. */
            id: string;
            /** @description The event of the deal that the posting belongs to. */
            journal: {
                /** @description The id of the journal. */
                id: string;
                /** @description Such as `advance` or `interest_billing`. */
                type: string;
                /** @description Its place in the ledger. */
                ledgerSeq: number;
                /** @description Why it was posted, where the agent said so. */
                reason: string | null;
                /** @description The journal that it takes back. */
                reverses: string | null;
                /** @description The bill that its journal corrects. */
                corrects: string | null;
            };
            /** @description The day from which the event is true. */
            effectiveDate: components["schemas"]["CalendarDate"];
            /** @description When it was recorded. */
            postedAt: components["schemas"]["Instant"];
            /** @description The deal. */
            dealId: string;
            /** @description The facility. */
            facilityId: string;
            /** @description The loan contract; null: of the facility as a whole. */
            contract: {
                /** @description The id of the loan contract. */
                id: string;
                /** @description The number that the agent gave it. */
                contractNumber: string | null;
            } | null;
            /** @description Whose share was posted; null: the global amount. */
            lender: components["schemas"]["Party"] | null;
            /**
             * @description What kind of change of principal it is.
             * @enum {string}
             */
            movement: "advance" | "scheduled_repayment" | "voluntary_prepayment" | "mandatory_prepayment" | "pik_capitalization" | "fee_capitalization" | "write_off" | "rollover" | "transfer" | "adjustment";
            /**
             * @description Principal that was lent in cash, or capitalised interest.
             * @enum {string}
             */
            component: "cash" | "pik";
            /** @description What principal changed by: positive where more is owed. */
            amount: components["schemas"]["Money"];
            /** @description The currency of the amount. */
            currency: components["schemas"]["Currency"];
            /** @description Who made the journal, where the agent said so: told to the agent of the deal, and to callers with full control. */
            postedBy: string | null;
        };
        /** @description A balance. Without `fields` it has every member that `Balance` always has; with it, those that were asked for. */
        BalanceFields: {
            /**
             * @description The kind of object. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            object: "balance";
            /** @description The id of the item: the same on every date. */
            id: string;
            /**
             * @description What the item is a balance of.
             * @enum {string}
             */
            level?: "deal" | "facility" | "contract" | "position";
            /** @description The credit agreement that the item belongs to. */
            deal?: {
                /** @description The id of the deal. */
                id?: string;
                /** @description The name at the date. */
                name?: string;
                /** @description The number that the agent gave it. */
                dealNumber?: string;
            };
            /** @description The facility of the item; null at level deal. */
            facility?: {
                /** @description The id of the facility. */
                id?: string;
                /** @description The name at the date. */
                name?: string;
                /** @description Such as `term_loan` or `revolver`. */
                type?: string;
                /** @description In which the lenders committed. */
                currency?: components["schemas"]["Currency"];
                /** @description When it must be repaid; null: no such day is known. */
                maturityDate?: components["schemas"]["CalendarDateOrNull"];
                /** @description The facility that it is carved out of. */
                sublimitOf?: string | null;
            } | null;
            /** @description The loan contract; null at every other level. */
            contract?: {
                /** @description The id of the loan contract. */
                id?: string;
                /** @description The number that the agent gave it. */
                contractNumber?: string;
                /** @description When it must be repaid; null: no such day is known. */
                maturityDate?: components["schemas"]["CalendarDateOrNull"];
            } | null;
            /** @description One lender’s part of the facility; at level position alone. */
            position?: {
                /** @description The id of the position. */
                id?: string;
                /**
                 * @description Lender of record by assignment, or behind one by participation.
                 * @enum {string}
                 */
                kind?: "assignment" | "participation";
            };
            /** @description Who owes the amounts. */
            borrower?: {
                /** @description The id of the borrower. */
                id?: string;
                /** @description The name at the date. */
                name?: string;
                /** @description Two characters, such as IN: ISO 3166 where the country has a code there. */
                country?: string;
            };
            /** @description The currency of all amounts of the item, unless they say otherwise. */
            currency: components["schemas"]["Currency"];
            global?: {
                /** @description What the lenders are bound to lend. */
                commitment?: {
                    /** @description What the lenders committed at first. */
                    original?: components["schemas"]["Money"];
                    /** @description Commitment given up or expired. */
                    cancelled?: components["schemas"]["Money"];
                    /** @description Funded, letters of credit, used under sublimits, and unfunded. */
                    current?: components["schemas"]["Money"];
                    /** @description Principal drawn: in cash, and capitalised where that uses the commitment. */
                    funded?: components["schemas"]["Money"];
                    /** @description Committed and not drawn: of it, some may be unavailable. */
                    unfunded?: components["schemas"]["Money"];
                    /** @description May be drawn now: nothing after the availability period or maturity. Globally never below zero; of a lender that funds more than its commitment it is, so that lenders add up. */
                    available?: components["schemas"]["Money"];
                    /** @description Unfunded, and blocked from drawing. */
                    unavailable?: components["schemas"]["Money"];
                    /** @description Letters of credit issued under the commitment. */
                    letterOfCredit?: components["schemas"]["Money"];
                    /** @description Drawn under the facility’s sublimits. */
                    sublimitUsed?: components["schemas"]["Money"];
                };
                /** @description The money that was lent. */
                principal?: {
                    /** @description Cash and capitalised principal that is owed. */
                    outstanding?: components["schemas"]["Money"];
                    /** @description Principal advanced in cash. */
                    cash?: components["schemas"]["Money"];
                    /** @description Interest that was capitalised (payment in kind), and capitalised fees. */
                    pikCapitalized?: components["schemas"]["Money"];
                    /** @description Principal that was billed and is not paid; from the day after maturity, all that is outstanding. */
                    due?: components["schemas"]["Money"];
                    /** @description The part of the amount due whose due date has passed. */
                    pastDue?: components["schemas"]["Money"];
                    /** @description Revaluation of what is owed in other currencies. */
                    exchangeAdjustment?: components["schemas"]["Money"];
                    /** @description Outstanding and exchange adjustment: what is owed. */
                    obligation?: components["schemas"]["Money"];
                };
                /** @description Interest by the day, and as it was billed. */
                interest?: {
                    /** @description Cash interest that is not billed yet, to the end of the date. */
                    accrued?: components["schemas"]["Money"];
                    /** @description Interest that will be capitalised, not billed yet. */
                    pikAccrued?: components["schemas"]["Money"];
                    /** @description Interest that was billed and is not paid. */
                    due?: components["schemas"]["Money"];
                    /** @description The part of the amount due whose due date has passed. */
                    pastDue?: components["schemas"]["Money"];
                };
                /** @description Commitment and letter-of-credit fees. */
                fees?: {
                    /** @description Commitment and letter-of-credit fees that are not billed yet. */
                    accrued?: components["schemas"]["Money"];
                    /** @description Fees that were billed and are not paid. */
                    due?: components["schemas"]["Money"];
                    /** @description The part of the amount due whose due date has passed. */
                    pastDue?: components["schemas"]["Money"];
                };
                /** @description Everything that is owed. */
                total?: {
                    /** @description Principal, interest and fees that are owed. */
                    outstanding?: components["schemas"]["Money"];
                    /** @description Principal, interest and fees that are past due. */
                    pastDue?: components["schemas"]["Money"];
                };
            };
            /** @description The share of the caller, of the position, or of the one lender asked for; otherwise null. */
            share?: {
                lender?: {
                    /** @description The id of the party. */
                    id?: string;
                    /** @description The name at the date. */
                    name?: string;
                };
                /** @description The share of the commitment, cut at twelve decimals; null: nothing is committed. */
                fraction?: string | null;
                /** @description What the lenders are bound to lend. */
                commitment?: {
                    /** @description What the lenders committed at first. */
                    original?: components["schemas"]["Money"];
                    /** @description Commitment given up or expired. */
                    cancelled?: components["schemas"]["Money"];
                    /** @description Funded, letters of credit, used under sublimits, and unfunded. */
                    current?: components["schemas"]["Money"];
                    /** @description Principal drawn: in cash, and capitalised where that uses the commitment. */
                    funded?: components["schemas"]["Money"];
                    /** @description Committed and not drawn: of it, some may be unavailable. */
                    unfunded?: components["schemas"]["Money"];
                    /** @description May be drawn now: nothing after the availability period or maturity. Globally never below zero; of a lender that funds more than its commitment it is, so that lenders add up. */
                    available?: components["schemas"]["Money"];
                    /** @description Unfunded, and blocked from drawing. */
                    unavailable?: components["schemas"]["Money"];
                    /** @description Letters of credit issued under the commitment. */
                    letterOfCredit?: components["schemas"]["Money"];
                    /** @description Drawn under the facility’s sublimits. */
                    sublimitUsed?: components["schemas"]["Money"];
                };
                /** @description The money that was lent. */
                principal?: {
                    /** @description Cash and capitalised principal that is owed. */
                    outstanding?: components["schemas"]["Money"];
                    /** @description Principal advanced in cash. */
                    cash?: components["schemas"]["Money"];
                    /** @description Interest that was capitalised (payment in kind), and capitalised fees. */
                    pikCapitalized?: components["schemas"]["Money"];
                    /** @description Principal that was billed and is not paid; from the day after maturity, all that is outstanding. */
                    due?: components["schemas"]["Money"];
                    /** @description The part of the amount due whose due date has passed. */
                    pastDue?: components["schemas"]["Money"];
                    /** @description Revaluation of what is owed in other currencies. */
                    exchangeAdjustment?: components["schemas"]["Money"];
                    /** @description Outstanding and exchange adjustment: what is owed. */
                    obligation?: components["schemas"]["Money"];
                };
                /** @description Interest by the day, and as it was billed. */
                interest?: {
                    /** @description Cash interest that is not billed yet, to the end of the date. */
                    accrued?: components["schemas"]["Money"];
                    /** @description Interest that will be capitalised, not billed yet. */
                    pikAccrued?: components["schemas"]["Money"];
                    /** @description Interest that was billed and is not paid. */
                    due?: components["schemas"]["Money"];
                    /** @description The part of the amount due whose due date has passed. */
                    pastDue?: components["schemas"]["Money"];
                };
                /** @description Commitment and letter-of-credit fees. */
                fees?: {
                    /** @description Commitment and letter-of-credit fees that are not billed yet. */
                    accrued?: components["schemas"]["Money"];
                    /** @description Fees that were billed and are not paid. */
                    due?: components["schemas"]["Money"];
                    /** @description The part of the amount due whose due date has passed. */
                    pastDue?: components["schemas"]["Money"];
                };
                /** @description Everything that is owed. */
                total?: {
                    /** @description Principal, interest and fees that are owed. */
                    outstanding?: components["schemas"]["Money"];
                    /** @description Principal, interest and fees that are past due. */
                    pastDue?: components["schemas"]["Money"];
                };
            } | null;
            /** @description Every lender’s share that the caller may see. All shares add up to the global amount. Absent at level position, where `share` is the one of the position. */
            lenders?: components["schemas"]["Share"][];
            /** @description At the date. */
            status?: {
                /**
                 * @description The status of the deal at the date.
                 * @enum {string}
                 */
                deal?: "pending" | "active" | "matured" | "terminated";
                /**
                 * @description The status of the facility at the date.
                 * @enum {string}
                 */
                facility?: "pending" | "active" | "matured" | "terminated";
                /**
                 * @description The status of the loan contract at the date.
                 * @enum {string}
                 */
                contract?: "pending" | "active" | "repaid" | "written_off";
                /** @description Since the oldest unpaid due date; a maturity is one. */
                daysPastDue?: number;
            };
            /** @description With `expand=accrual`: how each accrued amount comes about. */
            accrual?: components["schemas"]["Accrual"][];
            terms?: {
                agent?: {
                    /** @description The id of the party. */
                    id?: string;
                    /** @description The name at the date. */
                    name?: string;
                };
                /** @description From when on it is in force; of a deal, when it was signed. */
                effectiveDate?: components["schemas"]["CalendarDateOrNull"];
                /** @description The next day on which something that was billed is due; null: nothing is billed for later. */
                nextPaymentDate?: components["schemas"]["CalendarDateOrNull"];
                /** @description How days are counted, such as ACT/360; null of a deal. */
                dayCount?: string | null;
                /** @description Of a contract at the date; null where the book has no rate. */
                rate?: {
                    /** @description What interest accrues by. */
                    allIn?: components["schemas"]["Rate"];
                    /** @description The base rate in it. */
                    base?: components["schemas"]["RateOrNull"];
                    /** @description The spread over the base rate. */
                    margin?: components["schemas"]["RateOrNull"];
                    /** @description The credit spread adjustment in it. */
                    adjustment?: components["schemas"]["RateOrNull"];
                    /** @description Which base rate it is, such as SOFR. */
                    index?: string | null;
                    /** @description From when on it holds. */
                    since?: components["schemas"]["CalendarDate"];
                } | null;
                /** @description The interest rate that a statement or the terms state for the loan contract; null at other levels. */
                allInRate?: components["schemas"]["RateOrNull"];
                /** @description Those that the caller may see. */
                positions?: {
                    /** @description Of the position. */
                    id: string;
                    /** @description The facility that it is in. */
                    facilityId: string;
                    /** @description Who holds it. */
                    lender: components["schemas"]["Party"];
                    /**
                     * @description Whether the lender is one of record, or takes part in the share of one.
                     * @enum {string}
                     */
                    kind: "assignment" | "participation";
                }[];
            };
            /** @description With `expand=rates`: the interest rates of a contract until the date, the oldest first. */
            rates?: {
                /** @description What interest accrues by. */
                allIn: components["schemas"]["Rate"];
                /** @description The base rate in it. */
                base: components["schemas"]["RateOrNull"];
                /** @description The spread over the base rate. */
                margin: components["schemas"]["RateOrNull"];
                /** @description The credit spread adjustment in it. */
                adjustment: components["schemas"]["RateOrNull"];
                /** @description Which base rate it is, such as SOFR. */
                index: string | null;
                /** @description From when on it holds. */
                since: components["schemas"]["CalendarDate"];
            }[];
            reporting?: {
                /** @description The currency that was asked for. */
                currency?: components["schemas"]["Currency"];
                /** @description Units of the reporting currency for one of the item’s. */
                rate?: components["schemas"]["Rate"];
                /** @description The day of the rate: the newest on or before the one asked for. */
                rateDate?: components["schemas"]["CalendarDate"];
                /** @description Who quoted the rate. */
                source?: string;
                /** @description Outstanding principal, exchanged. */
                principalOutstanding?: components["schemas"]["Money"];
                /** @description Commitment that is not drawn, exchanged. */
                unfunded?: components["schemas"]["Money"];
                /** @description Interest that is accrued and not billed, exchanged. */
                interestAccrued?: components["schemas"]["Money"];
            };
            /** @description With `expand=contracts`: the loan contracts of the item. */
            contracts?: components["schemas"]["Balance"][];
            /** @description What the item was computed from. */
            provenance?: {
                /** @description The newest effective date of its postings; null: nothing was posted to it yet. */
                lastEffectiveDate?: components["schemas"]["CalendarDateOrNull"];
                /** @description When its newest posting was recorded. */
                lastPostedAt?: components["schemas"]["InstantOrNull"];
                /** @description The newest journal that the item depends on. */
                ledgerSeq?: number;
                /** @description Whether something else was reported of the same date before. */
                restated?: boolean;
                /** @description What was reported of the same date before, with the names of the lenders as they were known then. */
                restatedFrom?: {
                    /** @description When that was known. */
                    knownAt?: components["schemas"]["Instant"];
                    global?: {
                        /** @description What the lenders are bound to lend. */
                        commitment?: {
                            /** @description What the lenders committed at first. */
                            original?: components["schemas"]["Money"];
                            /** @description Commitment given up or expired. */
                            cancelled?: components["schemas"]["Money"];
                            /** @description Funded, letters of credit, used under sublimits, and unfunded. */
                            current?: components["schemas"]["Money"];
                            /** @description Principal drawn: in cash, and capitalised where that uses the commitment. */
                            funded?: components["schemas"]["Money"];
                            /** @description Committed and not drawn: of it, some may be unavailable. */
                            unfunded?: components["schemas"]["Money"];
                            /** @description May be drawn now: nothing after the availability period or maturity. Globally never below zero; of a lender that funds more than its commitment it is, so that lenders add up. */
                            available?: components["schemas"]["Money"];
                            /** @description Unfunded, and blocked from drawing. */
                            unavailable?: components["schemas"]["Money"];
                            /** @description Letters of credit issued under the commitment. */
                            letterOfCredit?: components["schemas"]["Money"];
                            /** @description Drawn under the facility’s sublimits. */
                            sublimitUsed?: components["schemas"]["Money"];
                        };
                        /** @description The money that was lent. */
                        principal?: {
                            /** @description Cash and capitalised principal that is owed. */
                            outstanding?: components["schemas"]["Money"];
                            /** @description Principal advanced in cash. */
                            cash?: components["schemas"]["Money"];
                            /** @description Interest that was capitalised (payment in kind), and capitalised fees. */
                            pikCapitalized?: components["schemas"]["Money"];
                            /** @description Principal that was billed and is not paid; from the day after maturity, all that is outstanding. */
                            due?: components["schemas"]["Money"];
                            /** @description The part of the amount due whose due date has passed. */
                            pastDue?: components["schemas"]["Money"];
                            /** @description Revaluation of what is owed in other currencies. */
                            exchangeAdjustment?: components["schemas"]["Money"];
                            /** @description Outstanding and exchange adjustment: what is owed. */
                            obligation?: components["schemas"]["Money"];
                        };
                        /** @description Interest by the day, and as it was billed. */
                        interest?: {
                            /** @description Cash interest that is not billed yet, to the end of the date. */
                            accrued?: components["schemas"]["Money"];
                            /** @description Interest that will be capitalised, not billed yet. */
                            pikAccrued?: components["schemas"]["Money"];
                            /** @description Interest that was billed and is not paid. */
                            due?: components["schemas"]["Money"];
                            /** @description The part of the amount due whose due date has passed. */
                            pastDue?: components["schemas"]["Money"];
                        };
                        /** @description Commitment and letter-of-credit fees. */
                        fees?: {
                            /** @description Commitment and letter-of-credit fees that are not billed yet. */
                            accrued?: components["schemas"]["Money"];
                            /** @description Fees that were billed and are not paid. */
                            due?: components["schemas"]["Money"];
                            /** @description The part of the amount due whose due date has passed. */
                            pastDue?: components["schemas"]["Money"];
                        };
                        /** @description Everything that is owed. */
                        total?: {
                            /** @description Principal, interest and fees that are owed. */
                            outstanding?: components["schemas"]["Money"];
                            /** @description Principal, interest and fees that are past due. */
                            pastDue?: components["schemas"]["Money"];
                        };
                    };
                    /** @description The share of the caller, of the position, or of the one lender asked for; otherwise null. */
                    share?: {
                        lender?: {
                            /** @description The id of the party. */
                            id?: string;
                            /** @description The name at the date. */
                            name?: string;
                        };
                        /** @description The share of the commitment, cut at twelve decimals; null: nothing is committed. */
                        fraction?: string | null;
                        /** @description What the lenders are bound to lend. */
                        commitment?: {
                            /** @description What the lenders committed at first. */
                            original?: components["schemas"]["Money"];
                            /** @description Commitment given up or expired. */
                            cancelled?: components["schemas"]["Money"];
                            /** @description Funded, letters of credit, used under sublimits, and unfunded. */
                            current?: components["schemas"]["Money"];
                            /** @description Principal drawn: in cash, and capitalised where that uses the commitment. */
                            funded?: components["schemas"]["Money"];
                            /** @description Committed and not drawn: of it, some may be unavailable. */
                            unfunded?: components["schemas"]["Money"];
                            /** @description May be drawn now: nothing after the availability period or maturity. Globally never below zero; of a lender that funds more than its commitment it is, so that lenders add up. */
                            available?: components["schemas"]["Money"];
                            /** @description Unfunded, and blocked from drawing. */
                            unavailable?: components["schemas"]["Money"];
                            /** @description Letters of credit issued under the commitment. */
                            letterOfCredit?: components["schemas"]["Money"];
                            /** @description Drawn under the facility’s sublimits. */
                            sublimitUsed?: components["schemas"]["Money"];
                        };
                        /** @description The money that was lent. */
                        principal?: {
                            /** @description Cash and capitalised principal that is owed. */
                            outstanding?: components["schemas"]["Money"];
                            /** @description Principal advanced in cash. */
                            cash?: components["schemas"]["Money"];
                            /** @description Interest that was capitalised (payment in kind), and capitalised fees. */
                            pikCapitalized?: components["schemas"]["Money"];
                            /** @description Principal that was billed and is not paid; from the day after maturity, all that is outstanding. */
                            due?: components["schemas"]["Money"];
                            /** @description The part of the amount due whose due date has passed. */
                            pastDue?: components["schemas"]["Money"];
                            /** @description Revaluation of what is owed in other currencies. */
                            exchangeAdjustment?: components["schemas"]["Money"];
                            /** @description Outstanding and exchange adjustment: what is owed. */
                            obligation?: components["schemas"]["Money"];
                        };
                        /** @description Interest by the day, and as it was billed. */
                        interest?: {
                            /** @description Cash interest that is not billed yet, to the end of the date. */
                            accrued?: components["schemas"]["Money"];
                            /** @description Interest that will be capitalised, not billed yet. */
                            pikAccrued?: components["schemas"]["Money"];
                            /** @description Interest that was billed and is not paid. */
                            due?: components["schemas"]["Money"];
                            /** @description The part of the amount due whose due date has passed. */
                            pastDue?: components["schemas"]["Money"];
                        };
                        /** @description Commitment and letter-of-credit fees. */
                        fees?: {
                            /** @description Commitment and letter-of-credit fees that are not billed yet. */
                            accrued?: components["schemas"]["Money"];
                            /** @description Fees that were billed and are not paid. */
                            due?: components["schemas"]["Money"];
                            /** @description The part of the amount due whose due date has passed. */
                            pastDue?: components["schemas"]["Money"];
                        };
                        /** @description Everything that is owed. */
                        total?: {
                            /** @description Principal, interest and fees that are owed. */
                            outstanding?: components["schemas"]["Money"];
                            /** @description Principal, interest and fees that are past due. */
                            pastDue?: components["schemas"]["Money"];
                        };
                    } | null;
                    /** @description Every lender’s share that the caller may see. All shares add up to the global amount. Absent at level position, where `share` is the one of the position. */
                    lenders?: components["schemas"]["Share"][];
                } | null;
            };
            /** @description Such as `negative_outstanding`: more was repaid than was owed; `overadvance`: drawn beyond the commitment; `lender_beyond_commitment`: a lender funds more than its commitment; `past_maturity`: matured and not repaid. Real books hold such balances, and they are not hidden. */
            warnings?: string[];
            /** @description With `compareAsOf` or `compareKnownAt`: the same item at the other time, whatever the filters would find then; null: it was not there. */
            compared?: components["schemas"]["BalanceFields"] | null;
        };
        /** @description A roll-forward. Without `fields` it has every member that `PrincipalBalance` always has; with it, those that were asked for. */
        PrincipalBalanceFields: {
            /**
             * @description The kind of object. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            object: "principalBalance";
            /** @description The id of the item: the same on every date. */
            id: string;
            /**
             * @description What the item is a balance of.
             * @enum {string}
             */
            level?: "deal" | "facility" | "contract" | "position";
            /** @description The credit agreement that the item belongs to. */
            deal?: {
                /** @description The id of the deal. */
                id?: string;
                /** @description The name at the date. */
                name?: string;
                /** @description The number that the agent gave it. */
                dealNumber?: string;
            };
            /** @description The facility of the item; null at level deal. */
            facility?: {
                /** @description The id of the facility. */
                id?: string;
                /** @description The name at the date. */
                name?: string;
                /** @description Such as `term_loan` or `revolver`. */
                type?: string;
                /** @description In which the lenders committed. */
                currency?: components["schemas"]["Currency"];
                /** @description When it must be repaid; null: no such day is known. */
                maturityDate?: components["schemas"]["CalendarDateOrNull"];
                /** @description The facility that it is carved out of. */
                sublimitOf?: string | null;
            } | null;
            /** @description The loan contract; null at every other level. */
            contract?: {
                /** @description The id of the loan contract. */
                id?: string;
                /** @description The number that the agent gave it. */
                contractNumber?: string;
                /** @description When it must be repaid; null: no such day is known. */
                maturityDate?: components["schemas"]["CalendarDateOrNull"];
            } | null;
            /** @description One lender’s part of the facility; at level position alone. */
            position?: {
                /** @description The id of the position. */
                id?: string;
                /**
                 * @description Lender of record by assignment, or behind one by participation.
                 * @enum {string}
                 */
                kind?: "assignment" | "participation";
            };
            /** @description Who owes the amounts. */
            borrower?: {
                /** @description The id of the borrower. */
                id?: string;
                /** @description The name at the date. */
                name?: string;
                /** @description Two characters, such as IN: ISO 3166 where the country has a code there. */
                country?: string;
            };
            /** @description The currency of all amounts of the item, unless they say otherwise. */
            currency: components["schemas"]["Currency"];
            global?: {
                /** @description Principal at the end of the day before the period. */
                opening?: components["schemas"]["Money"];
                /** @description Changes of principal in the period. A reversal stands under what it takes back. */
                movements?: {
                    /** @description Principal that was lent. */
                    advances?: components["schemas"]["Money"];
                    /** @description Repaid as agreed; negative. */
                    scheduledRepayments?: components["schemas"]["Money"];
                    /** @description Repaid early by the borrower’s choice; negative. */
                    voluntaryPrepayments?: components["schemas"]["Money"];
                    /** @description Repaid early because the agreement asks for it; negative. */
                    mandatoryPrepayments?: components["schemas"]["Money"];
                    /** @description Interest that became principal (payment in kind). */
                    pikCapitalized?: components["schemas"]["Money"];
                    /** @description Fees that became principal. */
                    feesCapitalized?: components["schemas"]["Money"];
                    /** @description Principal that was given up; negative. */
                    writeOffs?: components["schemas"]["Money"];
                    /** @description From one loan contract to the next: zero per facility. */
                    rollovers?: components["schemas"]["Money"];
                    /** @description From one lender to another: zero globally. */
                    transfers?: components["schemas"]["Money"];
                    /** @description Corrections that are none of the others. */
                    adjustments?: components["schemas"]["Money"];
                };
                /** @description Opening and movements: principal at the end of the period. */
                closing?: components["schemas"]["Money"];
                /** @description Revaluation of what is owed in other currencies. */
                exchangeAdjustment?: components["schemas"]["Money"];
                /** @description Closing and exchange adjustment: what is owed. */
                obligation?: components["schemas"]["Money"];
            };
            /** @description The share of the caller, of the position, or of the one lender asked for; otherwise null. */
            share?: {
                lender?: {
                    /** @description The id of the party. */
                    id?: string;
                    /** @description The name at the date. */
                    name?: string;
                };
                /** @description The share of the commitment, cut at twelve decimals; null: nothing is committed. */
                fraction?: string | null;
                /** @description Principal at the end of the day before the period. */
                opening?: components["schemas"]["Money"];
                /** @description Changes of principal in the period. A reversal stands under what it takes back. */
                movements?: {
                    /** @description Principal that was lent. */
                    advances?: components["schemas"]["Money"];
                    /** @description Repaid as agreed; negative. */
                    scheduledRepayments?: components["schemas"]["Money"];
                    /** @description Repaid early by the borrower’s choice; negative. */
                    voluntaryPrepayments?: components["schemas"]["Money"];
                    /** @description Repaid early because the agreement asks for it; negative. */
                    mandatoryPrepayments?: components["schemas"]["Money"];
                    /** @description Interest that became principal (payment in kind). */
                    pikCapitalized?: components["schemas"]["Money"];
                    /** @description Fees that became principal. */
                    feesCapitalized?: components["schemas"]["Money"];
                    /** @description Principal that was given up; negative. */
                    writeOffs?: components["schemas"]["Money"];
                    /** @description From one loan contract to the next: zero per facility. */
                    rollovers?: components["schemas"]["Money"];
                    /** @description From one lender to another: zero globally. */
                    transfers?: components["schemas"]["Money"];
                    /** @description Corrections that are none of the others. */
                    adjustments?: components["schemas"]["Money"];
                };
                /** @description Opening and movements: principal at the end of the period. */
                closing?: components["schemas"]["Money"];
                /** @description Revaluation of what is owed in other currencies. */
                exchangeAdjustment?: components["schemas"]["Money"];
                /** @description Closing and exchange adjustment: what is owed. */
                obligation?: components["schemas"]["Money"];
            } | null;
            /** @description Every lender’s share that the caller may see. All shares add up to the global amount. Absent at level position, where `share` is the one of the position. */
            lenders?: components["schemas"]["RollForwardShare"][];
            /** @description Whatever the period is. */
            sinceInception?: {
                /** @description All principal that was ever lent. */
                advanced?: components["schemas"]["Money"];
                /** @description All principal that was ever repaid. */
                repaid?: components["schemas"]["Money"];
            };
            /** @description The interest rate of the loan contract; null at other levels. */
            allInRate?: components["schemas"]["RateOrNull"];
            /** @description At the date. */
            status?: {
                /**
                 * @description The status of the deal at the date.
                 * @enum {string}
                 */
                deal?: "pending" | "active" | "matured" | "terminated";
                /**
                 * @description The status of the facility at the date.
                 * @enum {string}
                 */
                facility?: "pending" | "active" | "matured" | "terminated";
                /**
                 * @description The status of the loan contract at the date.
                 * @enum {string}
                 */
                contract?: "pending" | "active" | "repaid" | "written_off";
            };
            /** @description Postings of principal in the period; at level position, of the whole facility. */
            movementCount?: number;
            /** @description How many of them reverse others. */
            reversedCount?: number;
            /** @description Where to read on. */
            links?: {
                /**
                 * Format: uri-reference
                 * @description The postings behind the numbers, as they were known for this answer.
                 */
                movements?: string;
            };
            /** @description With `expand=movements`: the first 100 postings behind the numbers. */
            movements?: components["schemas"]["PrincipalMovement"][];
            reporting?: {
                /** @description The currency that was asked for. */
                currency?: components["schemas"]["Currency"];
                /** @description Units of the reporting currency for one of the item’s. */
                rate?: components["schemas"]["Rate"];
                /** @description The day of the rate: the newest on or before the one asked for. */
                rateDate?: components["schemas"]["CalendarDate"];
                /** @description Who quoted the rate. */
                source?: string;
                /** @description Outstanding principal, exchanged. */
                principalOutstanding?: components["schemas"]["Money"];
                /** @description Commitment that is not drawn, exchanged. */
                unfunded?: components["schemas"]["Money"];
                /** @description Interest that is accrued and not billed, exchanged. */
                interestAccrued?: components["schemas"]["Money"];
            };
            /** @description With `expand=contracts`: the loan contracts of the item. */
            contracts?: components["schemas"]["PrincipalBalance"][];
            /** @description What the item was computed from. */
            provenance?: {
                /** @description The newest effective date of its postings; null: nothing was posted to it yet. */
                lastEffectiveDate?: components["schemas"]["CalendarDateOrNull"];
                /** @description When its newest posting was recorded. */
                lastPostedAt?: components["schemas"]["InstantOrNull"];
                /** @description The newest journal that the item depends on. */
                ledgerSeq?: number;
                /** @description Whether something else was reported of the same date before. */
                restated?: boolean;
                /** @description What was reported of the same date before, with the names of the lenders as they were known then. */
                restatedFrom?: {
                    /** @description When that was known. */
                    knownAt?: components["schemas"]["Instant"];
                    /** @description Principal at the end of the period. */
                    closing?: components["schemas"]["Money"];
                    /** @description As it was reported. */
                    share?: {
                        lender?: {
                            /** @description The id of the party. */
                            id?: string;
                            /** @description The name at the date. */
                            name?: string;
                        };
                        /** @description The share of the commitment, cut at twelve decimals; null: nothing is committed. */
                        fraction?: string | null;
                        /** @description Principal at the end of the period. */
                        closing?: components["schemas"]["Money"];
                    } | null;
                    /** @description As they were reported. */
                    lenders?: components["schemas"]["ClosingShare"][];
                } | null;
            };
            /** @description Such as `negative_outstanding`: more was repaid than was owed; `overadvance`: drawn beyond the commitment; `lender_beyond_commitment`: a lender funds more than its commitment; `past_maturity`: matured and not repaid. Real books hold such balances, and they are not hidden. */
            warnings?: string[];
        };
        /** @description An item of your copy that the question does not find any more. */
        RemovedItem: {
            /**
             * @description The kind of object. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            object: "removed";
            /** @description The id of the item: take it out of your copy. */
            id: string;
        };
        /** @description The last line of an NDJSON export. Without it the file was cut. */
        ExportSummary: {
            /**
             * @description The kind of object. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            object: "summary";
            /** @description Items before this line. */
            count: number;
            /** @description The date of the balances: the one asked for, or the last with data. */
            asOf: components["schemas"]["CalendarDate"];
            /** @description The newest change that the answer depends on; as `knownAt` it gets the same answer for ever. */
            knownAt: components["schemas"]["InstantOrNull"];
            /** @description The newest journal that the answer knows. */
            ledgerSeq: number;
            /** @description With `updatedSince`: how many items were removed. */
            removed?: number;
            /** @description With `updatedSince`: the earlier answer that this one was compared with. */
            since?: {
                /** @description Its `meta.asOf`; null: there was nothing yet. */
                asOf: components["schemas"]["CalendarDateOrNull"];
                /** @description Its `meta.knownAt`. */
                knownAt: components["schemas"]["Instant"];
            };
            /** @description Over everything, one for each currency. */
            totals: components["schemas"]["Total"][];
            /** @description Of the bytes of the lines before this one, in hexadecimal. */
            sha256: string;
        };
        /** @description A page of balances. */
        BalanceList: {
            /**
             * @description The kind of object.
             * @constant
             */
            object: "list";
            /** @description The items of this page. */
            data: components["schemas"]["BalanceFields"][];
            /** @description With `updatedSince`: what the question does not find any more. */
            removed?: components["schemas"]["RemovedItem"][];
            /** @description Where this page stands in the walk. */
            page: {
                /** @description How many items a page may have. */
                limit: number;
                /** @description Whether there is another page, however many items this one has. */
                hasMore: boolean;
                /** @description As `cursor` it gets the next page; null: there is none. */
                nextCursor: string | null;
            };
            /** @description What the answer is an answer to. */
            meta: {
                /**
                 * Format: api-version
                 * @description The version that answered.
                 */
                apiVersion: string;
                /** @description The date of the balances: the one asked for, or the last with data. */
                asOf: components["schemas"]["CalendarDate"];
                /** @description The newest change that the answer depends on; as `knownAt` it gets the same answer for ever. */
                knownAt: components["schemas"]["InstantOrNull"];
                /** @description The newest journal that the answer knows. */
                ledgerSeq: number;
                /** @description The first date with data: the book begins on it. */
                dataFrom: components["schemas"]["CalendarDateOrNull"];
                /** @description The last date with data, up to `asOf`. */
                dataThrough: components["schemas"]["CalendarDateOrNull"];
                /** @description With `updatedSince`: the earlier answer that this one was compared with. */
                since?: {
                    /** @description Its `meta.asOf`; null: there was nothing yet. */
                    asOf: components["schemas"]["CalendarDateOrNull"];
                    /** @description Its `meta.knownAt`. */
                    knownAt: components["schemas"]["Instant"];
                };
                /** @description With `compareAsOf` or `compareKnownAt`: the other time; null: there was no book yet. */
                compared?: {
                    /** @description The date of the comparison. */
                    asOf: components["schemas"]["CalendarDate"];
                    /** @description The newest change that what was then depends on. */
                    knownAt: components["schemas"]["InstantOrNull"];
                    /** @description The newest journal that was known. */
                    ledgerSeq: number;
                    /** @description The first date with data, as was known. */
                    dataFrom: components["schemas"]["CalendarDateOrNull"];
                    /** @description The last date with data, up to `asOf`. */
                    dataThrough: components["schemas"]["CalendarDateOrNull"];
                } | null;
            };
            /** @description Over the whole filter, one for each currency. */
            totals?: components["schemas"]["Total"][];
            /** @description The same in the reporting currency. */
            reportingTotal?: components["schemas"]["ReportingTotal"];
            /** @description Of what the same filters found at the other time. */
            comparedTotals?: components["schemas"]["Total"][];
            /** @description The same in the reporting currency. */
            comparedReportingTotal?: components["schemas"]["ReportingTotal"];
        };
        /** @description A page of roll-forwards. */
        PrincipalBalanceList: {
            /**
             * @description The kind of object.
             * @constant
             */
            object: "list";
            /** @description The items of this page. */
            data: components["schemas"]["PrincipalBalanceFields"][];
            /** @description With `updatedSince`: what the question does not find any more. */
            removed?: components["schemas"]["RemovedItem"][];
            /** @description Where this page stands in the walk. */
            page: {
                /** @description How many items a page may have. */
                limit: number;
                /** @description Whether there is another page, however many items this one has. */
                hasMore: boolean;
                /** @description As `cursor` it gets the next page; null: there is none. */
                nextCursor: string | null;
            };
            /** @description What the answer is an answer to. */
            meta: {
                /**
                 * Format: api-version
                 * @description The version that answered.
                 */
                apiVersion: string;
                /** @description The date of the balances: the one asked for, or the last with data. */
                asOf: components["schemas"]["CalendarDate"];
                /** @description The newest change that the answer depends on; as `knownAt` it gets the same answer for ever. */
                knownAt: components["schemas"]["InstantOrNull"];
                /** @description The newest journal that the answer knows. */
                ledgerSeq: number;
                /** @description The first date with data: the book begins on it. */
                dataFrom: components["schemas"]["CalendarDateOrNull"];
                /** @description The last date with data, up to `asOf`. */
                dataThrough: components["schemas"]["CalendarDateOrNull"];
                /** @description The days that are rolled forward. */
                period: {
                    /** @description Its first day; null: since inception. */
                    from: components["schemas"]["CalendarDateOrNull"];
                    /** @description Its last day. */
                    to: components["schemas"]["CalendarDate"];
                };
                /** @description With `updatedSince`: the earlier answer that this one was compared with. */
                since?: {
                    /** @description Its `meta.asOf`; null: there was nothing yet. */
                    asOf: components["schemas"]["CalendarDateOrNull"];
                    /** @description Its `meta.knownAt`. */
                    knownAt: components["schemas"]["Instant"];
                };
            };
            /** @description Over the whole filter, one for each currency. */
            totals?: components["schemas"]["Total"][];
            /** @description The same in the reporting currency. */
            reportingTotal?: components["schemas"]["ReportingTotal"];
        };
        /** @description A page of postings. */
        PrincipalMovementList: {
            /**
             * @description The kind of object.
             * @constant
             */
            object: "list";
            /** @description The items of this page. */
            data: components["schemas"]["PrincipalMovement"][];
            /** @description Where this page stands in the walk. */
            page: {
                /** @description How many items a page may have. */
                limit: number;
                /** @description Whether there is another page, however many items this one has. */
                hasMore: boolean;
                /** @description As `cursor` it gets the next page; null: there is none. */
                nextCursor: string | null;
            };
            /** @description What the answer is an answer to. */
            meta: {
                /**
                 * Format: api-version
                 * @description The version that answered.
                 */
                apiVersion: string;
                /** @description The date of the balances: the one asked for, or the last with data. */
                asOf: components["schemas"]["CalendarDate"];
                /** @description The newest change that the answer depends on; as `knownAt` it gets the same answer for ever. */
                knownAt: components["schemas"]["InstantOrNull"];
                /** @description The newest journal that the answer knows. */
                ledgerSeq: number;
                /** @description The first date with data: the book begins on it. */
                dataFrom: components["schemas"]["CalendarDateOrNull"];
                /** @description The last date with data, up to `asOf`. */
                dataThrough: components["schemas"]["CalendarDateOrNull"];
            };
        };
        /** @description A line of an NDJSON export of balances. */
        BalanceLine: components["schemas"]["BalanceFields"] | components["schemas"]["RemovedItem"] | components["schemas"]["ExportSummary"];
        /** @description A line of an NDJSON export of roll-forwards. */
        PrincipalBalanceLine: components["schemas"]["PrincipalBalanceFields"] | components["schemas"]["RemovedItem"] | components["schemas"]["ExportSummary"];
        /** @description A line of an NDJSON export of postings. */
        PrincipalMovementLine: components["schemas"]["PrincipalMovement"] | components["schemas"]["ExportSummary"];
        BalanceItem: {
            /**
             * @description The kind of object.
             * @constant
             */
            object: "item";
            /** @description What was asked for. */
            data: components["schemas"]["BalanceFields"];
            /** @description What the answer is an answer to. */
            meta: {
                /**
                 * Format: api-version
                 * @description The version that answered.
                 */
                apiVersion: string;
                /** @description The date of the balances: the one asked for, or the last with data. */
                asOf: components["schemas"]["CalendarDate"];
                /** @description The newest change that the answer depends on; as `knownAt` it gets the same answer for ever. */
                knownAt: components["schemas"]["InstantOrNull"];
                /** @description The newest journal that the answer knows. */
                ledgerSeq: number;
                /** @description The first date with data: the book begins on it. */
                dataFrom: components["schemas"]["CalendarDateOrNull"];
                /** @description The last date with data, up to `asOf`. */
                dataThrough: components["schemas"]["CalendarDateOrNull"];
            };
        };
        /** @description A credit agreement between a borrower and its lenders. */
        Deal: {
            /**
             * @description The kind of object.
             * @constant
             */
            object: "deal";
            /** @description The id of the deal. */
            id: string;
            /** @description The name at the date. */
            name: string;
            /** @description The number that the agent gave it. */
            dealNumber: string;
            /**
             * @description The status of the deal at the date.
             * @enum {string}
             */
            status: "pending" | "active" | "matured" | "terminated";
            /** @description When the agreement was signed, where that is known. */
            closingDate: components["schemas"]["CalendarDateOrNull"];
            /** @description The first date on which the book has the deal. */
            dataFrom: components["schemas"]["CalendarDate"];
            /** @description What the caller is in the deal; `full` with full control. */
            roles: ("agent" | "lender" | "borrower" | "full")[];
            /** @description Who owes the amounts. */
            borrower: {
                /** @description The id of the borrower. */
                id: string;
                /** @description The name at the date. */
                name: string;
                /** @description Two characters, such as IN: ISO 3166 where the country has a code there. */
                country: string;
            };
            /** @description Who keeps the register for the lenders. */
            agent: components["schemas"]["Party"];
            /** @description Who vouches for the borrower; null: nobody is named. */
            guarantor: components["schemas"]["Party"] | null;
            /** @description Those whose share the caller may see. */
            lenders: components["schemas"]["Party"][];
            /** @description The balance of the deal, one for each currency. */
            balances: components["schemas"]["Balance"][];
            /** @description The balances of the first 100 facilities, those at zero too. */
            facilities: components["schemas"]["Balance"][];
            /** @description Whether the deal has more than these; the list has all. */
            hasMoreFacilities: boolean;
        };
        /** @description Who sends the request, as its token and the entitlements say. */
        Caller: {
            /**
             * @description The kind of object.
             * @constant
             */
            object: "caller";
            /** @description The organisation that the caller belongs to. */
            customer: {
                /** @description As the token names it. */
                id: string;
                /** @description Of the one party that its grants name; otherwise null. */
                name: string | null;
            };
            /**
             * @description A person’s account, or a program’s.
             * @enum {string}
             */
            accountType: "account" | "service_account";
            /** @description Those of the token. */
            permissions: string[];
            /** @description What the caller is in any deal; `full` with full control. */
            roles: ("agent" | "lender" | "borrower" | "full")[];
            /** @description The lenders and borrowers that its grants name. */
            parties: components["schemas"]["Party"][];
            /** @description Deals that the caller sees; at most 100,000 are counted. */
            dealCount: number;
            /** @description Whether it sees more than were counted. */
            hasMoreDeals: boolean;
        };
        CallerItem: {
            /**
             * @description The kind of object.
             * @constant
             */
            object: "item";
            /** @description What was asked for. */
            data: components["schemas"]["Caller"];
            /** @description What the answer is an answer to. */
            meta: {
                /**
                 * Format: api-version
                 * @description The version that answered.
                 */
                apiVersion: string;
                /** @description The date of the balances: the one asked for, or the last with data. */
                asOf: components["schemas"]["CalendarDate"];
                /** @description The newest change that the answer depends on; as `knownAt` it gets the same answer for ever. */
                knownAt: components["schemas"]["InstantOrNull"];
                /** @description The newest journal that the answer knows. */
                ledgerSeq: number;
                /** @description The first date with data: the book begins on it. */
                dataFrom: components["schemas"]["CalendarDateOrNull"];
                /** @description The last date with data, up to `asOf`. */
                dataThrough: components["schemas"]["CalendarDateOrNull"];
            };
        };
        PrincipalPoint: {
            /**
             * @description The kind of object.
             * @constant
             */
            object: "principalPoint";
            /** @description The currency of the amounts; two currencies are never added up. */
            currency: components["schemas"]["Currency"];
            /** @description The first day of the interval. */
            from: components["schemas"]["CalendarDate"];
            /** @description The last day of the interval. */
            date: components["schemas"]["CalendarDate"];
            /** @description Principal at the end of the day before the period. */
            opening: components["schemas"]["Money"];
            /** @description Changes of principal in the period. A reversal stands under what it takes back. */
            movements: {
                /** @description Principal that was lent. */
                advances: components["schemas"]["Money"];
                /** @description Repaid as agreed; negative. */
                scheduledRepayments: components["schemas"]["Money"];
                /** @description Repaid early by the borrower’s choice; negative. */
                voluntaryPrepayments: components["schemas"]["Money"];
                /** @description Repaid early because the agreement asks for it; negative. */
                mandatoryPrepayments: components["schemas"]["Money"];
                /** @description Interest that became principal (payment in kind). */
                pikCapitalized: components["schemas"]["Money"];
                /** @description Fees that became principal. */
                feesCapitalized: components["schemas"]["Money"];
                /** @description Principal that was given up; negative. */
                writeOffs: components["schemas"]["Money"];
                /** @description From one loan contract to the next: zero per facility. */
                rollovers: components["schemas"]["Money"];
                /** @description From one lender to another: zero globally. */
                transfers: components["schemas"]["Money"];
                /** @description Corrections that are none of the others. */
                adjustments: components["schemas"]["Money"];
            };
            /** @description Opening and movements: principal at the end of the period. */
            closing: components["schemas"]["Money"];
            /** @description Revaluation of what is owed in other currencies. */
            exchangeAdjustment: components["schemas"]["Money"];
            /** @description Closing and exchange adjustment: what is owed. */
            obligation: components["schemas"]["Money"];
            /** @description Postings of principal in the interval. */
            movementCount: number;
            /** @description How many of them reverse others. */
            reversedCount: number;
        };
        PrincipalPointList: {
            /**
             * @description The kind of object.
             * @constant
             */
            object: "list";
            /** @description By currency and date. */
            data: components["schemas"]["PrincipalPoint"][];
            /** @description Where this answer stands in the period. */
            page: {
                /** @description How many dates an answer may have. */
                limit: number;
                /** @description Whether the period goes on after the last date. */
                hasMore: boolean;
                /** @description The `fromDate` of the next question. */
                nextFromDate: components["schemas"]["CalendarDateOrNull"];
            };
            /** @description What the answer is an answer to. */
            meta: {
                /**
                 * Format: api-version
                 * @description The version that answered.
                 */
                apiVersion: string;
                /** @description The date of the balances: the one asked for, or the last with data. */
                asOf: components["schemas"]["CalendarDate"];
                /** @description The newest change that the answer depends on; as `knownAt` it gets the same answer for ever. */
                knownAt: components["schemas"]["InstantOrNull"];
                /** @description The newest journal that the answer knows. */
                ledgerSeq: number;
                /** @description The first date with data: the book begins on it. */
                dataFrom: components["schemas"]["CalendarDateOrNull"];
                /** @description The last date with data, up to `asOf`. */
                dataThrough: components["schemas"]["CalendarDateOrNull"];
                /** @description The days that are rolled forward. */
                period: {
                    /** @description Its first day; null: since inception. */
                    from: components["schemas"]["CalendarDateOrNull"];
                    /** @description Its last day. */
                    to: components["schemas"]["CalendarDate"];
                };
            };
        };
        Facet: {
            /**
             * @description The kind of object.
             * @constant
             */
            object: "facet";
            /**
             * @description What items are counted by.
             * @enum {string}
             */
            field: "country" | "currency" | "status" | "lender" | "borrower" | "facilityType";
            /** @description The most frequent first. */
            values: {
                /** @description A code, or the id of a party, as the filter takes it. */
                value: string;
                /** @description Of a party. */
                name: string | null;
                /** @description Of a borrower: the country of its deals; null: they are of several. */
                country?: string | null;
                /** @description Items that have it. */
                count: number;
            }[];
            /** @description Whether there are values that fewer items have. */
            hasMore: boolean;
        };
        FacetList: {
            /**
             * @description The kind of object.
             * @constant
             */
            object: "list";
            /** @description One for each field. */
            data: components["schemas"]["Facet"][];
            /** @description What the answer is an answer to. */
            meta: {
                /**
                 * Format: api-version
                 * @description The version that answered.
                 */
                apiVersion: string;
                /** @description The date of the balances: the one asked for, or the last with data. */
                asOf: components["schemas"]["CalendarDate"];
                /** @description The newest change that the answer depends on; as `knownAt` it gets the same answer for ever. */
                knownAt: components["schemas"]["InstantOrNull"];
                /** @description The newest journal that the answer knows. */
                ledgerSeq: number;
                /** @description The first date with data: the book begins on it. */
                dataFrom: components["schemas"]["CalendarDateOrNull"];
                /** @description The last date with data, up to `asOf`. */
                dataThrough: components["schemas"]["CalendarDateOrNull"];
            };
        };
        SummedTotal: {
            /** @description Amounts of different currencies are never added up. */
            currency: components["schemas"]["Currency"];
            /** @description How many items were added up. */
            count: number;
            /** @description Outstanding principal of all items. */
            principalOutstanding: components["schemas"]["Money"];
            /** @description Revaluation of principal that is owed in other currencies. */
            exchangeAdjustment: components["schemas"]["Money"];
            /** @description Outstanding principal and exchange adjustment. */
            obligation: components["schemas"]["Money"];
            /** @description Commitment that is not drawn. Left out at level contract: commitments are the facility’s. */
            unfunded?: components["schemas"]["Money"];
            /** @description Interest that is accrued and not billed; null: too many items accrue to add them up. */
            interestAccrued: components["schemas"]["MoneyOrNull"];
            /** @description Fees that are accrued and not billed; null: too many items accrue to add them up. */
            feesAccrued: components["schemas"]["MoneyOrNull"];
            /** @description What the lenders are bound to lend at the date; left out at level contract. */
            commitment?: components["schemas"]["MoneyOrNull"];
            /** @description May be drawn now; left out at level contract. */
            available?: components["schemas"]["MoneyOrNull"];
            /** @description Principal, interest and fees; null: too many items to work it out. */
            pastDue: components["schemas"]["MoneyOrNull"];
            /** @description Items with a warning. */
            warnings: number | null;
        };
        RestTotal: {
            /** @description Amounts of different currencies are never added up. */
            currency: components["schemas"]["Currency"];
            /** @description How many items were added up. */
            count: number;
            /** @description Outstanding principal of all items. */
            principalOutstanding: components["schemas"]["Money"];
            /** @description Revaluation of principal that is owed in other currencies. */
            exchangeAdjustment: components["schemas"]["Money"];
            /** @description Outstanding principal and exchange adjustment. */
            obligation: components["schemas"]["Money"];
            /** @description Commitment that is not drawn. Left out at level contract: commitments are the facility’s. */
            unfunded?: components["schemas"]["Money"];
            /** @description Interest that is accrued and not billed; null: too many items accrue to add them up. */
            interestAccrued: components["schemas"]["MoneyOrNull"];
            /** @description Fees that are accrued and not billed; null: too many items accrue to add them up. */
            feesAccrued: components["schemas"]["MoneyOrNull"];
            /** @description What the lenders are bound to lend at the date; left out at level contract. */
            commitment?: components["schemas"]["MoneyOrNull"];
            /** @description May be drawn now; left out at level contract. */
            available?: components["schemas"]["MoneyOrNull"];
            /** @description Principal, interest and fees; null: too many items to work it out. */
            pastDue: components["schemas"]["MoneyOrNull"];
            /** @description Items with a warning. */
            warnings: number | null;
            /** @description With `compareAsOf` or `compareKnownAt`: the same sums at the other time, zero where nothing was in it; null: there was no book yet. */
            compared?: components["schemas"]["SummedTotal"] | null;
        };
        GroupTotal: {
            /**
             * @description The kind of object.
             * @constant
             */
            object: "groupTotal";
            /**
             * @description What the items were grouped by.
             * @enum {string}
             */
            groupBy: "borrower" | "country" | "facilityType" | "status" | "lender" | "maturityYear" | "daysPastDue";
            /** @description A code, a year, a range of days, or the id of a party; null: items have none. */
            value: string | null;
            /** @description Of the party, where items are grouped by one. */
            name: string | null;
            /** @description Of a borrower: the country of its deals; null: they are of several. */
            country?: string | null;
            /** @description Amounts of different currencies are never added up. */
            currency: components["schemas"]["Currency"];
            /** @description How many items were added up. */
            count: number;
            /** @description Outstanding principal of all items. */
            principalOutstanding: components["schemas"]["Money"];
            /** @description Revaluation of principal that is owed in other currencies. */
            exchangeAdjustment: components["schemas"]["Money"];
            /** @description Outstanding principal and exchange adjustment. */
            obligation: components["schemas"]["Money"];
            /** @description Commitment that is not drawn. Left out at level contract: commitments are the facility’s. */
            unfunded?: components["schemas"]["Money"];
            /** @description Interest that is accrued and not billed; null: too many items accrue to add them up. */
            interestAccrued: components["schemas"]["MoneyOrNull"];
            /** @description Fees that are accrued and not billed; null: too many items accrue to add them up. */
            feesAccrued: components["schemas"]["MoneyOrNull"];
            /** @description What the lenders are bound to lend at the date; left out at level contract. */
            commitment?: components["schemas"]["MoneyOrNull"];
            /** @description May be drawn now; left out at level contract. */
            available?: components["schemas"]["MoneyOrNull"];
            /** @description Principal, interest and fees; null: too many items to work it out. */
            pastDue: components["schemas"]["MoneyOrNull"];
            /** @description Items with a warning. */
            warnings: number | null;
            /** @description With `compareAsOf` or `compareKnownAt`: the same sums at the other time, zero where nothing was in it; null: there was no book yet. */
            compared?: components["schemas"]["SummedTotal"] | null;
        };
        GroupTotalList: {
            /**
             * @description The kind of object.
             * @constant
             */
            object: "list";
            /** @description By currency; those with the most outstanding principal first. */
            data: components["schemas"]["GroupTotal"][];
            /** @description Per currency, what the other groups come to. */
            rest: components["schemas"]["RestTotal"][];
            /** @description Per currency, what all items come to. */
            totals: components["schemas"]["SummedTotal"][];
            /** @description What the answer is an answer to. */
            meta: {
                /**
                 * Format: api-version
                 * @description The version that answered.
                 */
                apiVersion: string;
                /** @description The date of the balances: the one asked for, or the last with data. */
                asOf: components["schemas"]["CalendarDate"];
                /** @description The newest change that the answer depends on; as `knownAt` it gets the same answer for ever. */
                knownAt: components["schemas"]["InstantOrNull"];
                /** @description The newest journal that the answer knows. */
                ledgerSeq: number;
                /** @description The first date with data: the book begins on it. */
                dataFrom: components["schemas"]["CalendarDateOrNull"];
                /** @description The last date with data, up to `asOf`. */
                dataThrough: components["schemas"]["CalendarDateOrNull"];
                /** @description With `compareAsOf` or `compareKnownAt`: the other time; null: there was no book yet. */
                compared?: {
                    /** @description The date of the comparison. */
                    asOf: components["schemas"]["CalendarDate"];
                    /** @description The newest change that what was then depends on. */
                    knownAt: components["schemas"]["InstantOrNull"];
                    /** @description The newest journal that was known. */
                    ledgerSeq: number;
                    /** @description The first date with data, as was known. */
                    dataFrom: components["schemas"]["CalendarDateOrNull"];
                    /** @description The last date with data, up to `asOf`. */
                    dataThrough: components["schemas"]["CalendarDateOrNull"];
                } | null;
            };
            /** @description With `compareAsOf` or `compareKnownAt`: what the same filters found at the other time. */
            comparedTotals?: components["schemas"]["SummedTotal"][];
        };
        DealItem: {
            /**
             * @description The kind of object.
             * @constant
             */
            object: "item";
            /** @description What was asked for. */
            data: components["schemas"]["Deal"];
            /** @description What the answer is an answer to. */
            meta: {
                /**
                 * Format: api-version
                 * @description The version that answered.
                 */
                apiVersion: string;
                /** @description The date of the balances: the one asked for, or the last with data. */
                asOf: components["schemas"]["CalendarDate"];
                /** @description The newest change that the answer depends on; as `knownAt` it gets the same answer for ever. */
                knownAt: components["schemas"]["InstantOrNull"];
                /** @description The newest journal that the answer knows. */
                ledgerSeq: number;
                /** @description The first date with data: the book begins on it. */
                dataFrom: components["schemas"]["CalendarDateOrNull"];
                /** @description The last date with data, up to `asOf`. */
                dataThrough: components["schemas"]["CalendarDateOrNull"];
            };
        };
        Import: {
            /**
             * @description The kind of object.
             * @constant
             */
            object: "import";
            /** @description The id of the job. */
            id: string;
            /**
             * @description queued and running: ask again. checked: no faults, and nothing was written. applied: the book has it. refused: the report says why. failed: post it again.
             * @enum {string}
             */
            status: "queued" | "running" | "checked" | "applied" | "refused" | "failed";
            /**
             * @description What the file is.
             * @enum {string}
             */
            kind: "statement" | "journals";
            /** @description Whether it is posted when it has no faults. */
            apply: boolean;
            /** @description Of a statement; null: a journal file. */
            profile: string | null;
            /** @description The digest of the file, as it was sent. */
            sha256: string;
            /** @description The size of the file. */
            sizeBytes: number;
            /** @description The account of the token with which the file was posted. */
            postedBy: string;
            /** @description When the file came. */
            createdAt: components["schemas"]["Instant"];
            /** @description When it was begun. */
            startedAt: components["schemas"]["InstantOrNull"];
            /** @description When the job ended. */
            endedAt: components["schemas"]["InstantOrNull"];
            /** @description Of a statement that the book has. */
            importId: string | null;
            /** @description Null until the job ended. It has more members, which depend on the kind. */
            report: {
                /** @description What the import came to. */
                outcome: string;
                /** @description Why it failed. */
                detail?: string;
                /** @description Why the file is refused: at most 1,000 are listed. */
                faults?: {
                    /** @description The row of the statement, or the line of the journal file; 0: the whole file. */
                    row: number;
                    /** @description The column or field. */
                    column: string;
                    /** @description What kind of fault it is. */
                    code: string;
                    /** @description What was expected. */
                    message: string;
                    /** @description What the file has. */
                    value?: string;
                }[];
                /** @description How many there are. */
                faultCount?: number;
                /** @description What should be looked at: at most 1,000 are listed. */
                warnings?: {
                    /** @description The row of the statement, or the line of the journal file; 0: the whole file. */
                    row: number;
                    /** @description The column or field. */
                    column: string;
                    /** @description What kind of fault it is. */
                    code: string;
                    /** @description What was expected. */
                    message: string;
                    /** @description What the file has. */
                    value?: string;
                }[];
                /** @description How many there are. */
                warningCount?: number;
            } | null;
        };
        ImportItem: {
            /**
             * @description The kind of object.
             * @constant
             */
            object: "item";
            /** @description The job. */
            data: components["schemas"]["Import"];
        };
        ImportList: {
            /**
             * @description The kind of object.
             * @constant
             */
            object: "list";
            /** @description The newest first. */
            data: components["schemas"]["Import"][];
            /** @description Where this page stands in the walk. */
            page: {
                /** @description How many items a page may have. */
                limit: number;
                /** @description Whether there is another page, however many items this one has. */
                hasMore: boolean;
                /** @description As `cursor` it gets the next page; null: there is none. */
                nextCursor: string | null;
            };
        };
        ImportProfile: {
            /**
             * @description The kind of object.
             * @constant
             */
            object: "importProfile";
            /** @description The name of the profile. */
            name: string;
            /** @description When it was last registered. */
            changedAt: components["schemas"]["Instant"];
            /** @description The profile, as it was registered. */
            profile: Record<string, never>;
        };
        ImportProfileItem: {
            /**
             * @description The kind of object.
             * @constant
             */
            object: "item";
            /** @description The profile. */
            data: components["schemas"]["ImportProfile"];
        };
        ImportProfileList: {
            /**
             * @description The kind of object.
             * @constant
             */
            object: "list";
            /** @description By name. */
            data: components["schemas"]["ImportProfile"][];
        };
        /** @description Requests of one client for one operation of a version on a day. */
        VersionUse: {
            /**
             * @description The kind of object.
             * @constant
             */
            object: "versionUse";
            /** @description In UTC. */
            day: components["schemas"]["CalendarDate"];
            /** @description The service account or the application. */
            clientId: string;
            /** @description The version in the path of the requests: `v1` or `latest`. */
            requested: string;
            /** @description The version that answered, or that has retired. */
            served: string;
            /** @description Such as `GET /cls/balances`. */
            operation: string;
            /** @description How many requests were counted. */
            requests: number;
        };
        /** @description A page of the use of the API by one customer. */
        VersionUseList: {
            /**
             * @description The kind of object.
             * @constant
             */
            object: "list";
            /** @description The newest day first. */
            data: components["schemas"]["VersionUse"][];
            /** @description Over the whole period, on each page; the most requests first. */
            totals: {
                /** @description All of them. */
                requests: number;
                /** @description Those of each version asked and served. */
                versions: {
                    /** @description The version in the path of the requests: `v1` or `latest`. */
                    requested: string;
                    /** @description The version that answered, or that has retired. */
                    served: string;
                    /** @description How many requests were counted. */
                    requests: number;
                    /** @description The last day with one, in UTC. */
                    lastDay: components["schemas"]["CalendarDate"];
                }[];
                /** @description Those of each client and version. */
                clients: {
                    /** @description The service account or the application. */
                    clientId: string;
                    /** @description The version in the path of the requests: `v1` or `latest`. */
                    requested: string;
                    /** @description The version that answered, or that has retired. */
                    served: string;
                    /** @description How many requests were counted. */
                    requests: number;
                    /** @description The last day with one, in UTC. */
                    lastDay: components["schemas"]["CalendarDate"];
                }[];
                /** @description Those of each operation and version. */
                operations: {
                    /** @description Such as `GET /cls/balances`. */
                    operation: string;
                    /** @description The version in the path of the requests: `v1` or `latest`. */
                    requested: string;
                    /** @description The version that answered, or that has retired. */
                    served: string;
                    /** @description How many requests were counted. */
                    requests: number;
                    /** @description The last day with one, in UTC. */
                    lastDay: components["schemas"]["CalendarDate"];
                }[];
            };
            /** @description Where this page stands in the walk. */
            page: {
                /** @description How many items a page may have. */
                limit: number;
                /** @description Whether there is another page, however many items this one has. */
                hasMore: boolean;
                /** @description As `cursor` it gets the next page; null: there is none. */
                nextCursor: string | null;
            };
            /** @description What the answer is an answer to. */
            meta: {
                /** @description The days that are counted. */
                period: {
                    /** @description Its first day. */
                    from: components["schemas"]["CalendarDate"];
                    /** @description Its last day. */
                    to: components["schemas"]["CalendarDate"];
                };
            };
        };
        /** @description Why a request was refused (RFC 9457). */
        Problem: {
            /** @description The address of the page that explains the code: {base}/docs/errors/{code}. */
            type: string;
            /** @description For people: what the code means, in a few words. */
            title: string;
            /** @description The status of the answer. */
            status: number;
            /** @description For people: what is wrong with this request. The text may change. */
            detail: string;
            /** @description The path that was asked. */
            instance: string;
            /** @description For programs: it never changes its meaning. */
            code: string;
            /** @description As in X-Request-Id; quote it when something is wrong. */
            requestId: string;
            /** @description Of the trace of this request (W3C Trace Context), where requests are traced. */
            traceId?: string;
            /** @description Every parameter that is wrong, at once. */
            errors?: {
                /** @description Its name. */
                parameter: string;
                /** @description What kind of fault it is: each has a page, too. */
                code: string;
                /** @description What was expected. */
                message: string;
                /** @description What was sent, cut to a harmless length. */
                received?: string;
            }[];
            /** @description The version that was asked. */
            version?: string;
            /** @description When it ends or has ended. */
            retiresAt?: string;
            /** @description The version to use instead. */
            successor?: string;
            /** @description Those that answer at present. */
            supportedVersions?: string[];
            /** @description The end of a brownout. */
            until?: string;
            /** @description The first instant from which changes can be told. */
            earliestUpdatedSince?: string;
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
                /** @description What a token needs (RFC 6750). */
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
                /** @description What a token needs (RFC 6750). */
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
                /** @description After how many seconds to send the request again. */
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
                /** @description After how many seconds to send the request again. */
                "Retry-After"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The token lacks the permission or is not trusted, or imports are switched off. */
        ImportsForbidden: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                /** @description What a token needs (RFC 6750). */
                "WWW-Authenticate"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The same, or the source is another customer’s, or only the operator imports it. */
        PostForbidden: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                /** @description What a token needs (RFC 6750). */
                "WWW-Authenticate"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A parameter or the Idempotency-Key is wrong. */
        ImportBadRequest: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Another request with the key sends its file. */
        IdempotencyKeyInUse: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                /** @description After how many seconds to send the request again. */
                "Retry-After"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is too large. */
        BodyTooLarge: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body has another media type. */
        UnsupportedMediaType: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The key came with another request, or the profile is not valid. */
        ImportUnprocessable: {
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
        TooManyImports: {
            headers: {
                "API-Version": components["headers"]["API-Version"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                /** @description After how many seconds to send the request again. */
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
        /** @description The name of an export’s file. */
        "Content-Disposition": string;
        /** @description How many requests are left (`r`), and for how many seconds (`t`). */
        RateLimit: string;
        /** @description How many requests (`q`) may be sent in how many seconds (`w`). */
        "RateLimit-Policy": string;
        /** @description Yours, or one that was made: quote it when something is wrong. */
        "X-Request-Id": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listBalances: {
        parameters: {
            query?: {
                /** @description Only what belongs to these deals. Expected: a deal id, deal_… or ext:SOURCE:ID. */
                dealId?: string[];
                /** @description Only what belongs to these facilities. Expected: a facility id, fac_… or ext:SOURCE:ID. */
                facilityId?: string[];
                /** @description Only these loan contracts. Expected: a contract id, ctr_… or ext:SOURCE:ID. */
                contractId?: string[];
                /** @description Only the loans of these borrowers. Expected: a party id, pty_… or ext:SOURCE:ID. */
                borrowerId?: string[];
                /** @description Only what these lenders have a share of. With one of them, `share` is that lender’s. Expected: a party id, pty_… or ext:SOURCE:ID. */
                lenderId?: string[];
                /** @description Only what is owed in these currencies. Expected: an ISO 4217 code such as USD. */
                currency?: string[];
                /** @description Only deals of these countries, as `borrower.country` shows them. Expected: a two-character country code such as IN. */
                country?: string[];
                /** @description Only facilities of these types. Expected: one of term_loan, revolver, delayed_draw, letter_of_credit, swingline, bridge. */
                facilityType?: ("term_loan" | "revolver" | "delayed_draw" | "letter_of_credit" | "swingline" | "bridge")[];
                /** @description Only items that have this status themselves, at the date. Expected: one of pending, active, matured, terminated, repaid, written_off. */
                status?: ("pending" | "active" | "matured" | "terminated" | "repaid" | "written_off")[];
                /** @description Also list items that owe nothing and on which nothing can be drawn. Expected: true or false. */
                includeZero?: boolean;
                /** @description Only items with at least this outstanding principal; needs exactly one `currency`. Expected: a plain decimal such as 1000.00, of at most 9223372036854775807 minor units. */
                minOutstanding?: string;
                /** @description Only items with at most this outstanding principal; needs exactly one `currency`. Expected: a plain decimal such as 1000.00, of at most 9223372036854775807 minor units. */
                maxOutstanding?: string;
                /** @description First date on which an item may mature, inclusive. Expected: a date as YYYY-MM-DD. */
                maturityFrom?: string;
                /** @description Last date on which an item may mature, inclusive. Expected: a date as YYYY-MM-DD. */
                maturityTo?: string;
                /** @description Only items of which something is past due; of a position, to its lender. Expected: true or false. */
                pastDue?: boolean;
                /** @description Only items whose `status.daysPastDue` is in one of these ranges. Expected: one of 0, 1-30, 31-60, 61-90, over-90. */
                daysPastDue?: ("0" | "1-30" | "31-60" | "61-90" | "over-90")[];
                /** @description Only items whose `provenance.restated` is true. Expected: true or false. */
                restated?: boolean;
                /** @description Words that begin words of the names: of deal, borrower and facility, and external ids. Expected: at most 100 characters with a word of two letters or digits or more. */
                q?: string;
                /** @description Only what differs from an earlier answer: its `meta.knownAt`. For keeping a copy. Expected: an instant as 2025-04-01T00:00:00Z. */
                updatedSince?: string;
                /** @description The `meta.asOf` of that earlier answer; with `updatedSince`. Expected: a date as YYYY-MM-DD. */
                sinceAsOf?: string;
                /** @description The date of the balances: everything counts that was effective by its end. Without it, the last date that the book has data for. Expected: a date as YYYY-MM-DD. */
                asOf?: string;
                /** @description Balances as they were known then: only what had been posted by this instant counts. Without it, everything that is known now. Expected: an instant as 2025-04-01T00:00:00Z. */
                knownAt?: string;
                /** @description Each item, or group, and the totals are compared with this date. Without it, where `compareKnownAt` is given, with the date of the balances. Expected: a date as YYYY-MM-DD. */
                compareAsOf?: string;
                /** @description Each item, or group, and the totals are compared with what was known then. Without it, where `compareAsOf` is given, with what the answer knows. Expected: an instant as 2025-04-01T00:00:00Z. */
                compareKnownAt?: string;
                /** @description What an item is a balance of: the finer, the more items. Expected: one of deal, facility, contract, position. */
                level?: "deal" | "facility" | "contract" | "position";
                /** @description Order of the items; descending with `-` before the name. Amounts are sorted within a currency, and currencies come in the order of their codes. Expected: one of dealNumber, facilityName, borrower, maturityDate, outstanding, unfunded, commitment, available, pastDue, interestAccrued, lastPostedAt, or with - before it. */
                sort?: "dealNumber" | "-dealNumber" | "facilityName" | "-facilityName" | "borrower" | "-borrower" | "maturityDate" | "-maturityDate" | "outstanding" | "-outstanding" | "unfunded" | "-unfunded" | "commitment" | "-commitment" | "available" | "-available" | "pastDue" | "-pastDue" | "interestAccrued" | "-interestAccrued" | "lastPostedAt" | "-lastPostedAt";
                /** @description Only these fields of each item, by path; `object`, `id` and `currency` are always there. Expected: a path such as global.principal.outstanding. */
                fields?: string[];
                /** @description What is added to each item: how accrued amounts come about, its loan contracts, its movements, its interest rates. Expected: one of lenders, accrual, contracts, movements, terms, rates. */
                expand?: ("lenders" | "accrual" | "contracts" | "terms" | "rates")[];
                /** @description Whether totals over the whole filter come with the page. Without it, they come where they cost little. Expected: totals or none. */
                include?: "totals" | "none";
                /** @description Adds the main amounts in this currency, and the rate that was taken. Expected: an ISO 4217 code such as USD. */
                reportingCurrency?: string;
                /** @description The day of the exchange rate; with `reportingCurrency`. Without it, the date of the balances. Expected: a date as YYYY-MM-DD. */
                fxDate?: string;
                /** @description How many items a page has at most; no more than 100 with contracts, movements or rates expanded. Expected: a whole number from 1 to 1000. */
                limit?: number;
                /** @description Gets the next page: `page.nextCursor` of the one before. It has the whole question in it. Expected: a cursor from page.nextCursor, unchanged. */
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
                /** @description Only what belongs to these deals. Expected: a deal id, deal_… or ext:SOURCE:ID. */
                dealId?: string[];
                /** @description Only what belongs to these facilities. Expected: a facility id, fac_… or ext:SOURCE:ID. */
                facilityId?: string[];
                /** @description Only these loan contracts. Expected: a contract id, ctr_… or ext:SOURCE:ID. */
                contractId?: string[];
                /** @description Only the loans of these borrowers. Expected: a party id, pty_… or ext:SOURCE:ID. */
                borrowerId?: string[];
                /** @description Only what these lenders have a share of. With one of them, `share` is that lender’s. Expected: a party id, pty_… or ext:SOURCE:ID. */
                lenderId?: string[];
                /** @description Only what is owed in these currencies. Expected: an ISO 4217 code such as USD. */
                currency?: string[];
                /** @description Only deals of these countries, as `borrower.country` shows them. Expected: a two-character country code such as IN. */
                country?: string[];
                /** @description Only facilities of these types. Expected: one of term_loan, revolver, delayed_draw, letter_of_credit, swingline, bridge. */
                facilityType?: ("term_loan" | "revolver" | "delayed_draw" | "letter_of_credit" | "swingline" | "bridge")[];
                /** @description Only items that have this status themselves, at the date. Expected: one of pending, active, matured, terminated, repaid, written_off. */
                status?: ("pending" | "active" | "matured" | "terminated" | "repaid" | "written_off")[];
                /** @description Also list items that owe nothing and on which nothing can be drawn. Expected: true or false. */
                includeZero?: boolean;
                /** @description Only items with at least this outstanding principal; needs exactly one `currency`. Expected: a plain decimal such as 1000.00, of at most 9223372036854775807 minor units. */
                minOutstanding?: string;
                /** @description Only items with at most this outstanding principal; needs exactly one `currency`. Expected: a plain decimal such as 1000.00, of at most 9223372036854775807 minor units. */
                maxOutstanding?: string;
                /** @description First date on which an item may mature, inclusive. Expected: a date as YYYY-MM-DD. */
                maturityFrom?: string;
                /** @description Last date on which an item may mature, inclusive. Expected: a date as YYYY-MM-DD. */
                maturityTo?: string;
                /** @description Only items of which something is past due; of a position, to its lender. Expected: true or false. */
                pastDue?: boolean;
                /** @description Only items whose `status.daysPastDue` is in one of these ranges. Expected: one of 0, 1-30, 31-60, 61-90, over-90. */
                daysPastDue?: ("0" | "1-30" | "31-60" | "61-90" | "over-90")[];
                /** @description Only items whose `provenance.restated` is true. Expected: true or false. */
                restated?: boolean;
                /** @description Words that begin words of the names: of deal, borrower and facility, and external ids. Expected: at most 100 characters with a word of two letters or digits or more. */
                q?: string;
                /** @description Only what differs from an earlier answer: its `meta.knownAt`. For keeping a copy. Expected: an instant as 2025-04-01T00:00:00Z. */
                updatedSince?: string;
                /** @description The `meta.asOf` of that earlier answer; with `updatedSince`. Expected: a date as YYYY-MM-DD. */
                sinceAsOf?: string;
                /** @description The date of the balances: everything counts that was effective by its end. Without it, the last date that the book has data for. Expected: a date as YYYY-MM-DD. */
                asOf?: string;
                /** @description Balances as they were known then: only what had been posted by this instant counts. Without it, everything that is known now. Expected: an instant as 2025-04-01T00:00:00Z. */
                knownAt?: string;
                /** @description The first day of the period. Without it, the period begins with the loan. Expected: a date as YYYY-MM-DD. */
                fromDate?: string;
                /** @description The last day of the period: another word for `asOf`. Give one of them. Expected: a date as YYYY-MM-DD. */
                toDate?: string;
                /** @description What an item is a balance of: the finer, the more items. Expected: one of deal, facility, contract, position. */
                level?: "deal" | "facility" | "contract" | "position";
                /** @description Order of the items; descending with `-` before the name. Amounts are sorted within a currency, and currencies come in the order of their codes. Expected: one of dealNumber, facilityName, borrower, maturityDate, outstanding, unfunded, commitment, available, pastDue, interestAccrued, lastPostedAt, or with - before it. */
                sort?: "dealNumber" | "-dealNumber" | "facilityName" | "-facilityName" | "borrower" | "-borrower" | "maturityDate" | "-maturityDate" | "outstanding" | "-outstanding" | "unfunded" | "-unfunded" | "commitment" | "-commitment" | "available" | "-available" | "pastDue" | "-pastDue" | "interestAccrued" | "-interestAccrued" | "lastPostedAt" | "-lastPostedAt";
                /** @description Only these fields of each item, by path; `object`, `id` and `currency` are always there. Expected: a path such as global.principal.outstanding. */
                fields?: string[];
                /** @description What is added to each item: how accrued amounts come about, its loan contracts, its movements, its interest rates. Expected: one of lenders, accrual, contracts, movements, terms, rates. */
                expand?: ("lenders" | "contracts" | "movements")[];
                /** @description Whether totals over the whole filter come with the page. Without it, they come where they cost little. Expected: totals or none. */
                include?: "totals" | "none";
                /** @description Adds the main amounts in this currency, and the rate that was taken. Expected: an ISO 4217 code such as USD. */
                reportingCurrency?: string;
                /** @description The day of the exchange rate; with `reportingCurrency`. Without it, the date of the balances. Expected: a date as YYYY-MM-DD. */
                fxDate?: string;
                /** @description How many items a page has at most; no more than 100 with contracts, movements or rates expanded. Expected: a whole number from 1 to 1000. */
                limit?: number;
                /** @description Gets the next page: `page.nextCursor` of the one before. It has the whole question in it. Expected: a cursor from page.nextCursor, unchanged. */
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
                /** @description Only what belongs to these deals. Expected: a deal id, deal_… or ext:SOURCE:ID. */
                dealId?: string[];
                /** @description Only what belongs to these facilities. Expected: a facility id, fac_… or ext:SOURCE:ID. */
                facilityId?: string[];
                /** @description Only these loan contracts. Expected: a contract id, ctr_… or ext:SOURCE:ID. */
                contractId?: string[];
                /** @description Only the loans of these borrowers. Expected: a party id, pty_… or ext:SOURCE:ID. */
                borrowerId?: string[];
                /** @description Only what these lenders have a share of. With one of them, `share` is that lender’s. Expected: a party id, pty_… or ext:SOURCE:ID. */
                lenderId?: string[];
                /** @description Only what is owed in these currencies. Expected: an ISO 4217 code such as USD. */
                currency?: string[];
                /** @description Words that begin words of the names: of deal, borrower and facility, and external ids. Expected: at most 100 characters with a word of two letters or digits or more. */
                q?: string;
                /** @description The date of the balances: everything counts that was effective by its end. Without it, the last date that the book has data for. Expected: a date as YYYY-MM-DD. */
                asOf?: string;
                /** @description Balances as they were known then: only what had been posted by this instant counts. Without it, everything that is known now. Expected: an instant as 2025-04-01T00:00:00Z. */
                knownAt?: string;
                /** @description The first day of the period. Without it, the period begins with the loan. Expected: a date as YYYY-MM-DD. */
                fromDate?: string;
                /** @description The last day of the period: another word for `asOf`. Give one of them. Expected: a date as YYYY-MM-DD. */
                toDate?: string;
                /** @description How many items a page has at most; no more than 100 with contracts, movements or rates expanded. Expected: a whole number from 1 to 1000. */
                limit?: number;
                /** @description Gets the next page: `page.nextCursor` of the one before. It has the whole question in it. Expected: a cursor from page.nextCursor, unchanged. */
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
                /** @description The date of the balances: everything counts that was effective by its end. Without it, the last date that the book has data for. Expected: a date as YYYY-MM-DD. */
                asOf?: string;
                /** @description Balances as they were known then: only what had been posted by this instant counts. Without it, everything that is known now. Expected: an instant as 2025-04-01T00:00:00Z. */
                knownAt?: string;
                /** @description Only these fields of each item, by path; `object`, `id` and `currency` are always there. Expected: a path such as global.principal.outstanding. */
                fields?: string[];
                /** @description What is added to each item: how accrued amounts come about, its loan contracts, its movements, its interest rates. Expected: one of lenders, accrual, contracts, movements, terms, rates. */
                expand?: ("lenders" | "accrual" | "contracts" | "terms")[];
                /** @description Adds the main amounts in this currency, and the rate that was taken. Expected: an ISO 4217 code such as USD. */
                reportingCurrency?: string;
                /** @description The day of the exchange rate; with `reportingCurrency`. Without it, the date of the balances. Expected: a date as YYYY-MM-DD. */
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
                /** @description The date of the balances: everything counts that was effective by its end. Without it, the last date that the book has data for. Expected: a date as YYYY-MM-DD. */
                asOf?: string;
                /** @description Balances as they were known then: only what had been posted by this instant counts. Without it, everything that is known now. Expected: an instant as 2025-04-01T00:00:00Z. */
                knownAt?: string;
                /** @description What is added to each item: how accrued amounts come about, its loan contracts, its movements, its interest rates. Expected: one of lenders, accrual, contracts, movements, terms, rates. */
                expand?: ("lenders" | "accrual" | "contracts" | "terms")[];
                /** @description Adds the main amounts in this currency, and the rate that was taken. Expected: an ISO 4217 code such as USD. */
                reportingCurrency?: string;
                /** @description The day of the exchange rate; with `reportingCurrency`. Without it, the date of the balances. Expected: a date as YYYY-MM-DD. */
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
                /** @description Only what belongs to these deals. Expected: a deal id, deal_… or ext:SOURCE:ID. */
                dealId?: string[];
                /** @description Only what belongs to these facilities. Expected: a facility id, fac_… or ext:SOURCE:ID. */
                facilityId?: string[];
                /** @description Only these loan contracts. Expected: a contract id, ctr_… or ext:SOURCE:ID. */
                contractId?: string[];
                /** @description Only the loans of these borrowers. Expected: a party id, pty_… or ext:SOURCE:ID. */
                borrowerId?: string[];
                /** @description Only what these lenders have a share of. With one of them, `share` is that lender’s. Expected: a party id, pty_… or ext:SOURCE:ID. */
                lenderId?: string[];
                /** @description Only what is owed in these currencies. Expected: an ISO 4217 code such as USD. */
                currency?: string[];
                /** @description Only deals of these countries, as `borrower.country` shows them. Expected: a two-character country code such as IN. */
                country?: string[];
                /** @description Only facilities of these types. Expected: one of term_loan, revolver, delayed_draw, letter_of_credit, swingline, bridge. */
                facilityType?: ("term_loan" | "revolver" | "delayed_draw" | "letter_of_credit" | "swingline" | "bridge")[];
                /** @description Only items that have this status themselves, at the date. Expected: one of pending, active, matured, terminated, repaid, written_off. */
                status?: ("pending" | "active" | "matured" | "terminated" | "repaid" | "written_off")[];
                /** @description Also list items that owe nothing and on which nothing can be drawn. Expected: true or false. */
                includeZero?: boolean;
                /** @description Only items with at least this outstanding principal; needs exactly one `currency`. Expected: a plain decimal such as 1000.00, of at most 9223372036854775807 minor units. */
                minOutstanding?: string;
                /** @description Only items with at most this outstanding principal; needs exactly one `currency`. Expected: a plain decimal such as 1000.00, of at most 9223372036854775807 minor units. */
                maxOutstanding?: string;
                /** @description First date on which an item may mature, inclusive. Expected: a date as YYYY-MM-DD. */
                maturityFrom?: string;
                /** @description Last date on which an item may mature, inclusive. Expected: a date as YYYY-MM-DD. */
                maturityTo?: string;
                /** @description Only items of which something is past due; of a position, to its lender. Expected: true or false. */
                pastDue?: boolean;
                /** @description Only items whose `status.daysPastDue` is in one of these ranges. Expected: one of 0, 1-30, 31-60, 61-90, over-90. */
                daysPastDue?: ("0" | "1-30" | "31-60" | "61-90" | "over-90")[];
                /** @description Only items whose `provenance.restated` is true. Expected: true or false. */
                restated?: boolean;
                /** @description Words that begin words of the names: of deal, borrower and facility, and external ids. Expected: at most 100 characters with a word of two letters or digits or more. */
                q?: string;
                /** @description The date of the balances: everything counts that was effective by its end. Without it, the last date that the book has data for. Expected: a date as YYYY-MM-DD. */
                asOf?: string;
                /** @description Balances as they were known then: only what had been posted by this instant counts. Without it, everything that is known now. Expected: an instant as 2025-04-01T00:00:00Z. */
                knownAt?: string;
                /** @description Each item, or group, and the totals are compared with this date. Without it, where `compareKnownAt` is given, with the date of the balances. Expected: a date as YYYY-MM-DD. */
                compareAsOf?: string;
                /** @description Each item, or group, and the totals are compared with what was known then. Without it, where `compareAsOf` is given, with what the answer knows. Expected: an instant as 2025-04-01T00:00:00Z. */
                compareKnownAt?: string;
                /** @description What an item is a balance of: the finer, the more items. Expected: one of deal, facility, contract, position. */
                level?: "deal" | "facility" | "contract" | "position";
                /** @description What items are grouped by, beside the currency; `lender` at level position alone. Expected: one of borrower, country, facilityType, status, lender, maturityYear, daysPastDue. */
                groupBy?: "borrower" | "country" | "facilityType" | "status" | "lender" | "maturityYear" | "daysPastDue";
                /** @description How many groups of each currency are listed one by one; the others are added up. Expected: a whole number from 1 to 1000. */
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
    listFacets: {
        parameters: {
            query?: {
                /** @description Only what belongs to these deals. Expected: a deal id, deal_… or ext:SOURCE:ID. */
                dealId?: string[];
                /** @description Only what belongs to these facilities. Expected: a facility id, fac_… or ext:SOURCE:ID. */
                facilityId?: string[];
                /** @description Only these loan contracts. Expected: a contract id, ctr_… or ext:SOURCE:ID. */
                contractId?: string[];
                /** @description Only the loans of these borrowers. Expected: a party id, pty_… or ext:SOURCE:ID. */
                borrowerId?: string[];
                /** @description Only what these lenders have a share of. With one of them, `share` is that lender’s. Expected: a party id, pty_… or ext:SOURCE:ID. */
                lenderId?: string[];
                /** @description Only what is owed in these currencies. Expected: an ISO 4217 code such as USD. */
                currency?: string[];
                /** @description Only deals of these countries, as `borrower.country` shows them. Expected: a two-character country code such as IN. */
                country?: string[];
                /** @description Only facilities of these types. Expected: one of term_loan, revolver, delayed_draw, letter_of_credit, swingline, bridge. */
                facilityType?: ("term_loan" | "revolver" | "delayed_draw" | "letter_of_credit" | "swingline" | "bridge")[];
                /** @description Only items that have this status themselves, at the date. Expected: one of pending, active, matured, terminated, repaid, written_off. */
                status?: ("pending" | "active" | "matured" | "terminated" | "repaid" | "written_off")[];
                /** @description Also list items that owe nothing and on which nothing can be drawn. Expected: true or false. */
                includeZero?: boolean;
                /** @description Only items with at least this outstanding principal; needs exactly one `currency`. Expected: a plain decimal such as 1000.00, of at most 9223372036854775807 minor units. */
                minOutstanding?: string;
                /** @description Only items with at most this outstanding principal; needs exactly one `currency`. Expected: a plain decimal such as 1000.00, of at most 9223372036854775807 minor units. */
                maxOutstanding?: string;
                /** @description First date on which an item may mature, inclusive. Expected: a date as YYYY-MM-DD. */
                maturityFrom?: string;
                /** @description Last date on which an item may mature, inclusive. Expected: a date as YYYY-MM-DD. */
                maturityTo?: string;
                /** @description Only items of which something is past due; of a position, to its lender. Expected: true or false. */
                pastDue?: boolean;
                /** @description Only items whose `status.daysPastDue` is in one of these ranges. Expected: one of 0, 1-30, 31-60, 61-90, over-90. */
                daysPastDue?: ("0" | "1-30" | "31-60" | "61-90" | "over-90")[];
                /** @description Only items whose `provenance.restated` is true. Expected: true or false. */
                restated?: boolean;
                /** @description Words that begin words of the names: of deal, borrower and facility, and external ids. Expected: at most 100 characters with a word of two letters or digits or more. */
                q?: string;
                /** @description The date of the balances: everything counts that was effective by its end. Without it, the last date that the book has data for. Expected: a date as YYYY-MM-DD. */
                asOf?: string;
                /** @description Balances as they were known then: only what had been posted by this instant counts. Without it, everything that is known now. Expected: an instant as 2025-04-01T00:00:00Z. */
                knownAt?: string;
                /** @description What an item is a balance of: the finer, the more items. Expected: one of deal, facility, contract, position. */
                level?: "deal" | "facility" | "contract" | "position";
                /** @description What is counted; default: all. Expected: some of country, currency, status, lender, borrower, facilityType. */
                fields?: ("country" | "currency" | "status" | "lender" | "borrower" | "facilityType")[];
                /** @description Values of each field that are told. Expected: a whole number from 1 to 1000. */
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
                    "application/json": components["schemas"]["FacetList"];
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
    listPrincipalSeries: {
        parameters: {
            query?: {
                /** @description Only what belongs to these deals. Expected: a deal id, deal_… or ext:SOURCE:ID. */
                dealId?: string[];
                /** @description Only what belongs to these facilities. Expected: a facility id, fac_… or ext:SOURCE:ID. */
                facilityId?: string[];
                /** @description Only these loan contracts. Expected: a contract id, ctr_… or ext:SOURCE:ID. */
                contractId?: string[];
                /** @description Only the loans of these borrowers. Expected: a party id, pty_… or ext:SOURCE:ID. */
                borrowerId?: string[];
                /** @description Only what these lenders have a share of. With one of them, `share` is that lender’s. Expected: a party id, pty_… or ext:SOURCE:ID. */
                lenderId?: string[];
                /** @description Only what is owed in these currencies. Expected: an ISO 4217 code such as USD. */
                currency?: string[];
                /** @description Only deals of these countries, as `borrower.country` shows them. Expected: a two-character country code such as IN. */
                country?: string[];
                /** @description Only facilities of these types. Expected: one of term_loan, revolver, delayed_draw, letter_of_credit, swingline, bridge. */
                facilityType?: ("term_loan" | "revolver" | "delayed_draw" | "letter_of_credit" | "swingline" | "bridge")[];
                /** @description Only items that have this status themselves, at the date. Expected: one of pending, active, matured, terminated, repaid, written_off. */
                status?: ("pending" | "active" | "matured" | "terminated" | "repaid" | "written_off")[];
                /** @description Only items with at least this outstanding principal; needs exactly one `currency`. Expected: a plain decimal such as 1000.00, of at most 9223372036854775807 minor units. */
                minOutstanding?: string;
                /** @description Only items with at most this outstanding principal; needs exactly one `currency`. Expected: a plain decimal such as 1000.00, of at most 9223372036854775807 minor units. */
                maxOutstanding?: string;
                /** @description First date on which an item may mature, inclusive. Expected: a date as YYYY-MM-DD. */
                maturityFrom?: string;
                /** @description Last date on which an item may mature, inclusive. Expected: a date as YYYY-MM-DD. */
                maturityTo?: string;
                /** @description Only items of which something is past due; of a position, to its lender. Expected: true or false. */
                pastDue?: boolean;
                /** @description Only items whose `status.daysPastDue` is in one of these ranges. Expected: one of 0, 1-30, 31-60, 61-90, over-90. */
                daysPastDue?: ("0" | "1-30" | "31-60" | "61-90" | "over-90")[];
                /** @description Only items whose `provenance.restated` is true. Expected: true or false. */
                restated?: boolean;
                /** @description Words that begin words of the names: of deal, borrower and facility, and external ids. Expected: at most 100 characters with a word of two letters or digits or more. */
                q?: string;
                /** @description The date of the balances: everything counts that was effective by its end. Without it, the last date that the book has data for. Expected: a date as YYYY-MM-DD. */
                asOf?: string;
                /** @description Balances as they were known then: only what had been posted by this instant counts. Without it, everything that is known now. Expected: an instant as 2025-04-01T00:00:00Z. */
                knownAt?: string;
                /** @description The first day of the period. Without it, the period begins with the loan. Expected: a date as YYYY-MM-DD. */
                fromDate?: string;
                /** @description The last day of the period: another word for `asOf`. Give one of them. Expected: a date as YYYY-MM-DD. */
                toDate?: string;
                /** @description What an item is a balance of: the finer, the more items. Expected: one of deal, facility, contract, position. */
                level?: "deal" | "facility" | "contract" | "position";
                /** @description How far apart points are; `event`: one for each day with a movement. Expected: one of month, quarter, year, event. */
                interval?: "month" | "quarter" | "year" | "event";
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
                    "application/json": components["schemas"]["PrincipalPointList"];
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
    listImports: {
        parameters: {
            query?: {
                /** @description How many items a page has at most; no more than 100 with contracts, movements or rates expanded. Expected: a whole number from 1 to 1000. */
                limit?: number;
                /** @description Gets the next page: `page.nextCursor` of the one before. It has the whole question in it. Expected: a cursor from page.nextCursor, unchanged. */
                cursor?: string;
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
                    "application/json": components["schemas"]["ImportList"];
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
            403: components["responses"]["ImportsForbidden"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["Gone"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    postImport: {
        parameters: {
            query?: {
                /** @description What the file is: a sender’s statement, or a journal file. Expected: statement or journals. */
                kind?: "statement" | "journals";
                /** @description How the columns of a statement are read; required for one. Expected: the name of a registered profile. */
                profile?: string;
                /** @description Posts the file when it has no faults. Without it, the file is only checked. Expected: true or false. */
                apply?: boolean;
                /** @description The date of the balances: everything counts that was effective by its end. Without it, the last date that the book has data for. Expected: a date as YYYY-MM-DD. */
                asOf?: string;
                /** @description The statement’s number of rows, as its sender states it. Expected: a whole number from 0 to 999999999. */
                rows?: number;
                /** @description The sum of a column of the statement, as its sender states it, in a statement of several currencies with one of them (`due:EUR`); repeat it for more columns. Expected: column=sum, such as due=283040726064.12. */
                control?: string[];
                /** @description Why a statement is applied without `rows` and `control`. Expected: a reason of 1 to 500 characters, without NUL and half surrogate pairs. */
                withoutTotals?: string;
                /** @description A check that refused the file, by its name, and the reason why the file is right; repeat it for more. For a journal file, `warnings:reason` accepts its warnings. Expected: NAME:reason, with a reason of 1 to 500 characters in one line. */
                accept?: string[];
            };
            header: {
                /** @description A text of your own for this file, such as a UUID: 1 to 200 visible characters. */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "text/csv": string;
                "text/plain": string;
                "text/tab-separated-values": string;
                "application/x-ndjson": string;
                "application/gzip": string;
                "application/zip": string;
                "application/octet-stream": string;
                "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
            };
        };
        responses: {
            /** @description The job. */
            202: {
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
                    /** @description Where the job is asked for. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportItem"];
                };
            };
            400: components["responses"]["ImportBadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["PostForbidden"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["IdempotencyKeyInUse"];
            410: components["responses"]["Gone"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ImportUnprocessable"];
            429: components["responses"]["TooManyImports"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getImport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a job. */
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
                    "application/json": components["schemas"]["ImportItem"];
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
            403: components["responses"]["ImportsForbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["Gone"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listImportProfiles: {
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
                    "application/json": components["schemas"]["ImportProfileList"];
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
            403: components["responses"]["ImportsForbidden"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["Gone"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getImportProfile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of a profile. */
                name: string;
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
                    "application/json": components["schemas"]["ImportProfileItem"];
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
            403: components["responses"]["ImportsForbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["Gone"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    putImportProfile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of a profile. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The profile, as it is registered. */
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
                    "application/json": components["schemas"]["ImportProfileItem"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ImportsForbidden"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["Gone"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ImportUnprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteImportProfile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of a profile. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is removed. */
            204: {
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
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ImportsForbidden"];
            404: components["responses"]["NotFound"];
            406: components["responses"]["NotAcceptable"];
            410: components["responses"]["Gone"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listVersionUses: {
        parameters: {
            query?: {
                /** @description The first day. Without it, 30 days; the period has at most 93. Expected: a date as YYYY-MM-DD. */
                fromDate?: string;
                /** @description The last day. Without it, today (UTC). Expected: a date as YYYY-MM-DD. */
                toDate?: string;
                /** @description How many uses a page has at most. Expected: a whole number from 1 to 1000. */
                limit?: number;
                /** @description Gets the next page: `page.nextCursor` of the one before. It has the period in it. Expected: a cursor from page.nextCursor, unchanged. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
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
                    "application/json": components["schemas"]["VersionUseList"];
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

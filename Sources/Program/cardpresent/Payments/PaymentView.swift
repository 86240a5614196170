import Determinism
import Money
import Payments
import Storage
import Yosemite

extension Payment: CommandResult, TableRow {
    var json: JSONObject {
        let verification = card?.cardholderVerification
        return JSONObject(
            [
                "id": name, "state": state.rawValue, "outcome": outcome.rawValue,
                // In minor units.
                "amount": amount.minorUnits, "refunded": refundedAmount.minorUnits, "order": orderID,
                "brand": card?.brand, "last4": card?.lastFour,
                "entryMode": card?.entryMode.rawValue, "cvm": verification?.family.rawValue,
                // In words, with how an offline PIN was sent to the card.
                "cvmDescription": verification?.words, "authCode": card?.authorizationCode,
                "createdAt": createdAt.description, "updatedAt": updatedAt.description,
            ],
            // Only an approved payment of an order has a state at the store.
            // The remaining tries matter only after a wrong PIN.
            known: [
                "preauthorization": preauthorization?.json, "requestedAmount": requestedAmount?.minorUnits,
                "capture": notification?.json, "pinTriesLeft": card?.pinTriesLeft,
                "storeRefunds": refundNotifications.isEmpty ? nil : refundNotifications.map(\.json),
            ]
        ).amounts(in: amount.currency)
    }

    static var heads: [String] { ["id", "time", "amount", "status", "card", "order", "refunded", "note"] }

    var cells: [String] {
        [
            name, createdAt.secondText, amount.description, state.rawValue,
            card.map { $0.name + $0.maskedNumber } ?? "",
            [
                notification.map { "order \($0.orderNumber): \($0.state.rawValue)" }
                    ?? orderID.map { "order \($0)" },
                refundNotifications.last { !$0.state.isFinal }.map { "refund: \($0.state.rawValue)" },
            ].compactMap { $0 }.joined(separator: ", "),
            refundedText ?? "", errorMessage ?? amountNote ?? "",
        ]
    }

    var colors: [Int: WordColor] { state.color.map { [Self.statusColumn: $0] } ?? [:] }

    private static let statusColumn = 3

    /// The refunded amount; nil when there is no refund.
    private var refundedText: String? { refundedAmount.minorUnits == 0 ? nil : refundedAmount.description }

    /// The columns that are amounts.
    static let amountColumns: Set = [2, 6]

    var text: String {
        let widths = [0, 0, 16, 10]
        // Without headings, the amount needs its word, and what is empty no place.
        let words = cells.prefix(5) + [cells[5], refundedText.map { "refunded \($0)" } ?? "", cells.last ?? ""]
        let padded = words.enumerated().filter { $0 < widths.count || !$1.isEmpty }.map { column, word in
            WordColor.onOutput(word, colors[column], paddedTo: column < widths.count ? widths[column] : 0)
        }
        return padded.joined(separator: "  ").trimmedEnd + "\n"
    }

    /// The headings of ``values``. They are an interface: new ones go to the end.
    static let valueNames = [
        "id", "createdAt", "state", "outcome", "amount", "refunded", "currency", "order", "brand", "last4", "entryMode",
        "cvm", "authCode", "store", "error",
    ]

    /// The payment for a spreadsheet: times in UTC, amounts as decimals.
    var values: [String] {
        let words: [String?] = [
            name, createdAt.description, state.rawValue, outcome.rawValue, amount.decimalText,
            refundedAmount.decimalText, amount.currency.code, orderID.map(String.init), card?.brand, card?.lastFour,
            card?.entryMode.rawValue, card?.cardholderVerification.family.rawValue, card?.authorizationCode,
            notification?.state.rawValue, errorCode,
        ]
        return words.map { $0 ?? "" }
    }
}

extension CardDetails {
    fileprivate var name: String { applicationName ?? brand }

    /// The last four digits after asterisks; empty when they are not known.
    fileprivate var maskedNumber: String { lastFour.map { " **** \($0)" } ?? "" }

    /// The EMV part of a payment, as JSON.
    fileprivate var emv: JSONObject {
        JSONObject(
            [
                "aid": aid, "applicationName": applicationName, "accountType": accountType?.rawValue,
                "tvr": terminalVerificationResults,
                "tsi": transactionStatusInformation, "cryptogram": applicationCryptogram,
                "cryptogramType": cryptogramType, "atc": applicationTransactionCounter,
                "responseCode": authorizationResponseCode, "oda": offlineDataAuthentication.rawValue,
                "odaResult": offlineDataAuthenticationResult,
            ],
            known: ["odaReason": offlineDataAuthenticationReason])
    }
}

/// The result of `pay` and `refund`, as JSON.
struct OutcomeView: Sendable {
    /// Nil when the command made no payment.
    var payment: Payment?
    var failure: CommandFailure?
    /// The print jobs of the receipts; nil without `--printer`.
    var prints: [ReceiptPrint]?
    /// The kind of the payment host; nil when the command did not get that far.
    var host: String?
    /// The name of the host among several; nil for one host only.
    var hostName: String?
    /// Why a receipt was not printed. It does not affect the outcome.
    var printError: CommandFailure?

    var json: JSONObject {
        JSONObject(
            ["outcome": outcome, "emv": payment?.card?.emv],
            known: [
                "payment": payment?.json, "error": failure?.json, "prints": prints?.map(\.json),
                "printError": printError?.json, "host": host, "hostName": hostName,
            ])
    }

    /// `outcome` of the JSON.
    var outcome: String {
        switch failure?.status {
        case nil: "approved"
        case .declined: "declined"
        case .canceled: "cancelled"
        case .outcomeUnknown: "unknown"
        default: "failed"
        }
    }
}

extension OrderPaymentNotification {
    /// The store's state of a payment, as JSON.
    fileprivate var json: JSONObject {
        JSONObject(
            [
                // due, sent, unknown, confirmed, refused, conflict, accepted
                "state": state.rawValue, "gateway": gateway,
                // The payment intent ID that the store uses.
                "intent": intentID ?? "", "store": siteAddress, "orderNumber": orderNumber, "orderStatus": orderStatus,
                "tries": tries, "reason": lastError, "updatedAt": updatedAt.description,
            ], known: ["acceptedReason": acceptance])
    }
}

extension OrderRefundNotification {
    /// The store's state of a refund, as JSON. The amount is in minor units.
    fileprivate var json: JSONObject {
        JSONObject(
            [
                "state": state.rawValue, "amount": amount.minorUnits, "intent": intentID,
                // The ID of the refund at the store.
                "refund": refundID, "tries": tries, "reason": lastError, "updatedAt": updatedAt.description,
            ],
            known: ["acceptedReason": acceptance, "lines": lines.isEmpty ? nil : lines.map(\.json)]
        ).amounts(in: amount.currency)
    }
}

extension RefundedLine {
    /// A line that a refund names, as JSON. Amounts are in minor units.
    var json: JSONObject {
        [
            "line": id, "quantity": quantity, "total": total,
            "taxes": taxes.map { tax -> JSONObject in ["rate": tax.rate, "total": tax.total] },
        ]
    }
}

extension OrderPaymentReport {
    /// The result of `payments sync`, as JSON.
    var json: JSONObject {
        [
            "confirmed": confirmed.json, "open": open.json, "refused": refused.json, "failed": failed.map(\.json),
            // Given back, or accepted: the store need not know any more.
            "settled": settled.json,
            // Refused ones that could not be checked again now.
            "unread": unread.map { ["payment": $0.payment.description, "message": $0.reason] as JSONObject },
        ]
    }
}

extension RecoveryReport {
    /// The result of `payments recover`, as JSON.
    var json: JSONObject {
        JSONObject(
            ["finished": finished.json, "open": open.json, "failed": failed.map(\.json)],
            known: ["restored": restored.isEmpty ? nil : restored.map(\.json)])
    }
}

extension FormerIdentity {
    /// A restored backup, as JSON.
    var json: JSONObject {
        [
            "identity": databaseID, "newIdentity": successor, "host": hostName, "lastNumber": lastNumber,
            "hostNumber": hostNumber, "at": at.description,
        ]
    }

    /// Returns one sentence about a restored backup, and what to do; `comparison` is how to see what it lacks.
    func text(_ comparison: HostComparison) -> String {
        let known =
            hostNumber == nil && comparison.isOfMessages
            ? "the payment host can't say which it has" : "the payment host knows number \(hostNumber ?? 0)"
        return "this database was restored from a backup: it has \(lastNumber) attempt\(lastNumber == 1 ? "" : "s") of "
            + "\(databaseID), and \(known). It is \(successor) now, and no "
            + "number is used twice. See the payments that it lost with \(comparison)"
    }
}

extension RecoveryReport.Failure {
    fileprivate var json: JSONObject { ["payment": payment, "message": error.description] }
}

extension PaymentHistory: CommandResult {
    var json: JSONObject {
        JSONObject(
            ["payment": payment.json, "attempts": attempts.map(\.json)], known: ["emv": payment.card?.emv])
    }

    var text: String {
        let (card, refunded) = (payment.card, payment.refundedAmount)
        let state = WordColor.onOutput(payment.state.rawValue, payment.state.color)
        var details = DetailText("\(payment.name)  \(payment.amount)  \(state)")
        details.add("order", payment.orderID.map(String.init))
        details.add("card", card?.applicationName.map { $0 + (card?.maskedNumber ?? "") })
        details.add("AID", card?.aid)
        details.add("account", card?.accountType?.rawValue)
        details.add("verification", card?.cardholderVerification.family.rawValue)
        details.add("PIN tries left", card?.pinTriesLeft.map(String.init))
        details.add("auth code", card?.authorizationCode)
        details.add("response", card?.authorizationResponseCode)
        details.add("cryptogram", card?.applicationCryptogram.map { $0 + " " + (card?.cryptogramType ?? "") })
        details.add("TVR", card?.terminalVerificationResults)
        details.add("TSI", card?.transactionStatusInformation)
        details.add("ODA", card?.authenticationText)
        details.add("requested", payment.requestedAmount?.description)
        if let hold = payment.preauthorization {
            details.add("authorized", hold.authorized.description)
            for increment in hold.increments {
                details.add("increment", "\(increment.amount), approved \(increment.approvedAt.secondText)")
            }
            details.add("captured", hold.captured?.description)
            details.add("expires", hold.captured == nil ? hold.expiresAt.secondText : nil)
        }
        details.add("refunded", refunded.minorUnits == 0 ? nil : refunded.description)
        if let capture = payment.notification {
            details.add("store", capture.state.rawValue + (capture.orderStatus.map { ", order is \($0)" } ?? ""))
            details.add("intent", capture.intentID ?? "")
            details.add("because", capture.lastError)
            details.add("accepted", capture.acceptance)
        }
        for refund in payment.refundNotifications {
            let number = refund.refundID.map { ", refund \($0) of the store" } ?? ""
            let reason = refund.lastError.map { ": \($0)" } ?? ""
            let pieces = refund.lines.map { " \($0.quantity) of line \($0.id)" }.joined(separator: ",")
            let lines = pieces.isEmpty ? "" : " for" + pieces
            let accepted = refund.acceptance.map { "; accepted: \($0)" } ?? ""
            details.add(
                "store refund", "\(refund.amount)\(lines) \(refund.state.rawValue)\(number)\(reason)\(accepted)")
        }
        for attempt in attempts { details.add(line: attempt.text) }
        return details.text
    }
}

extension CardDetails {
    /// The result of offline data authentication.
    fileprivate var authenticationText: String {
        "\(offlineDataAuthentication.rawValue) \(offlineDataAuthenticationResult)"
            + (offlineDataAuthenticationReason.map { ": " + $0 } ?? "")
    }
}

extension PaymentAttempt {
    /// Why a message about the attempt waits for a person, and what to do; nil when none does.
    fileprivate var waitsForPerson: String? {
        guard state.needsRecovery || advice != nil else { return nil }
        return lastError.flatMap { PaymentHostError.tellsOfClosedCardData($0) ? $0 : nil }
    }
}

extension PaymentHistory.Attempt {
    fileprivate var json: JSONObject {
        JSONObject(
            [
                "kind": attempt.kind.rawValue, "amount": attempt.amount.minorUnits, "state": attempt.state.rawValue,
                "stan": attempt.traceNumber, "host": attempt.hostName, "steps": steps.map(\.json),
                "attempt": attempt.id,
            ],
            known: [
                "stans": numbers.isEmpty
                    ? nil : numbers.map { pair -> JSONObject in ["message": pair.message, "stan": pair.number] },
                "hostReference": attempt.hostReference, "hostName": attempt.memberName,
                "hostAddress": attempt.memberName == nil ? nil : attempt.identity?.destination,
                "lines": attempt.lines.isEmpty ? nil : attempt.lines.map(\.json), "waits": attempt.waitsForPerson,
            ]
        ).amounts(in: attempt.amount.currency)
    }

    fileprivate var text: String {
        let state = WordColor.onOutput(attempt.state.rawValue, attempt.state.color)
        let head = "  \(attempt.kind.rawValue), \(numberText), host \(attempt.hostText): \(state)"
        let lines = steps.map { "    \($0.at.millisecondText)  \($0.words)" }
        let waiting = attempt.waitsForPerson.map { ["    " + $0] } ?? []
        return ([head] + lines + waiting).joined(separator: "\n")
    }
}

extension PaymentHistory.Attempt {
    /// The trace numbers (field 11) of the attempt's messages, as far as the journal has them: at a host that speaks
    /// ISO 8583. Sign-ons and inquiries have numbers that it does not keep.
    fileprivate var numbers: [(message: String, number: String)] {
        guard let identity = attempt.identity else { return [] }
        var numbers: [(message: String, number: String)] = []
        if let number = identity[11] { numbers.append((attempt.kind.rawValue, number)) }
        if let number = attempt.completion?.identity?[11] { numbers.append(("completion", number)) }
        if let number = identity.reversalNumber, steps.contains(where: { $0.state == .reversing }) {
            numbers.append(("reversal", number))
        }
        return numbers
    }

    /// The numbers for people. The simulated issuer gets that of the attempt in every message.
    private var numberText: String {
        guard attempt.identity != nil || attempt.hostName == HostFactory.iso8583Name else {
            return "STAN \(attempt.stan)"
        }
        let others = numbers.dropFirst().map { "\($0.message) \($0.number)" }.joined(separator: ", ")
        return "attempt \(attempt.id)" + (numbers.first.map { ", STAN \($0.number)" } ?? "")
            + (others.isEmpty ? "" : " (\(others))")
    }
}

extension AttemptTransition {
    /// The state with its reason, which may begin with the word of the state already: `declined: wrong PIN`.
    fileprivate var words: String {
        guard let detail else { return state.rawValue }
        return detail.hasPrefix(state.rawValue + ": ") ? detail : state.rawValue + ": " + detail
    }

    fileprivate var json: JSONObject {
        JSONObject(["state": state.rawValue, "at": at.description], known: ["detail": detail])
    }
}

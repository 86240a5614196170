internal import Determinism
internal import Money
internal import Payments
internal import Storage
internal import Yosemite

extension Payment: CommandResult {
    var json: JSONObject {
        let verification = card?.cardholderVerification
        return JSONObject(
            [
                "id": name, "state": state.rawValue, "outcome": outcome.rawValue,
                // In minor units.
                "amount": amount.minorUnits, "refunded": refundedAmount.minorUnits, "currency": amount.currency.code,
                "order": orderID, "brand": card?.brand, "last4": card?.lastFour,
                "entryMode": card?.entryMode.rawValue, "cvm": verification?.family.rawValue,
                // In words, with how an offline PIN was sent to the card.
                "cvmDescription": verification?.words, "authCode": card?.authorizationCode,
                "createdAt": createdAt.description, "updatedAt": updatedAt.description,
            ],
            // Only an approved payment of an order has a state at the store.
            known: ["capture": notification?.json])
    }

    var text: String {
        let cells: [String] = [
            name, String(createdAt.description.prefix(19)).replacing("T", with: " ") + "Z",
            amount.description.padded(to: 16), state.rawValue.padded(to: 10),
            card.map { $0.name + $0.maskedNumber } ?? errorMessage ?? "",
            notification.map { "order \($0.orderNumber): \($0.state.rawValue)" } ?? "",
        ]
        return cells.joined(separator: "  ").trimmedEnd + "\n"
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
                "aid": aid, "applicationName": applicationName, "tvr": terminalVerificationResults,
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
    /// Why a receipt was not printed. It does not affect the outcome.
    var printError: CommandFailure?

    var json: JSONObject {
        JSONObject(
            ["outcome": outcome, "emv": payment?.card?.emv],
            known: [
                "payment": payment?.json, "error": failure?.json, "prints": prints?.map(\.json),
                "printError": printError?.json,
            ])
    }

    private var outcome: String {
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
        [
            // due, sent, unknown, confirmed, refused, conflict
            "state": state.rawValue, "gateway": gateway,
            // The payment intent ID that the store uses.
            "intent": intentID ?? "", "store": siteAddress, "orderNumber": orderNumber, "orderStatus": orderStatus,
            "tries": tries, "reason": lastError, "updatedAt": updatedAt.description,
        ]
    }
}

extension OrderPaymentReport {
    /// The result of `payments sync`, as JSON.
    var json: JSONObject {
        ["confirmed": confirmed.json, "open": open.json, "refused": refused.json, "failed": failed.map(\.json)]
    }
}

extension RecoveryReport {
    /// The result of `payments recover`, as JSON.
    var json: JSONObject { ["finished": finished.json, "open": open.json, "failed": failed.map(\.json)] }
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
        var details = DetailText("\(payment.name)  \(payment.amount)  \(payment.state.rawValue)")
        details.add("order", payment.orderID.map(String.init))
        details.add("card", card?.applicationName.map { $0 + (card?.maskedNumber ?? "") })
        details.add("AID", card?.aid)
        details.add("verification", card?.cardholderVerification.family.rawValue)
        details.add("auth code", card?.authorizationCode)
        details.add("response", card?.authorizationResponseCode)
        details.add("cryptogram", card?.applicationCryptogram.map { $0 + " " + (card?.cryptogramType ?? "") })
        details.add("TVR", card?.terminalVerificationResults)
        details.add("TSI", card?.transactionStatusInformation)
        details.add("ODA", card?.authenticationText)
        details.add("refunded", refunded.minorUnits == 0 ? nil : refunded.description)
        if let capture = payment.notification {
            details.add("store", capture.state.rawValue + (capture.orderStatus.map { ", order is \($0)" } ?? ""))
            details.add("intent", capture.intentID ?? "")
            details.add("because", capture.lastError)
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

extension PaymentHistory.Attempt {
    fileprivate var json: JSONObject {
        JSONObject(
            [
                "kind": attempt.kind.rawValue, "amount": attempt.amount.minorUnits, "state": attempt.state.rawValue,
                "stan": attempt.stan, "host": attempt.hostName, "steps": steps.map(\.json),
            ],
            known: ["hostReference": attempt.hostReference])
    }

    fileprivate var text: String {
        let (kind, state) = (attempt.kind.rawValue, attempt.state.rawValue)
        let head = "  \(kind), STAN \(attempt.stan), host \(attempt.hostName): \(state)"
        let lines = steps.map { "    \($0.at)  \($0.state.rawValue)" + ($0.detail.map { ": " + $0 } ?? "") }
        return ([head] + lines).joined(separator: "\n")
    }
}

extension AttemptTransition {
    fileprivate var json: JSONObject {
        JSONObject(["state": state.rawValue, "at": at.description], known: ["detail": detail])
    }
}

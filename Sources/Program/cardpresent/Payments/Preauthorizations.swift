import ArgumentParser
import Determinism
import Money
import Payments
import Yosemite

/// `payments capture`
struct CapturePayment: PaymentChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture", abstract: "Capture a pre-authorization, or a part of it.",
        discussion: """
            EXAMPLES:
              cardpresent payments capture P000001
              cardpresent payments capture P000001 --amount 80.00
              cardpresent payments capture P000001 --host-trace host.jsonl

            Takes what 'cardpresent pay --authorize-only' holds, once: without --amount all of it, otherwise a part, and \
            the rest becomes free. The journal has the capture before it is sent, and the host gets it until it has \
            accepted it: exit code 4 means that it has not yet, and 'cardpresent payments recover' sends it again. When \
            the host answers with a code that refuses it, the error says so.

            A payment that is captured already stays as it is, and ends with exit code 64, as other repeats do.
            """)

    @Argument(help: "Payment ID, for example P000001.")
    var payment: PaymentName
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Amount to capture, as a decimal in the payment's currency.", valueName: "decimal"))
    var amount: String?
    @OptionGroup var change: PaymentChangeOptions

    static let hasOutcome = true

    /// Returns the first word of the text.
    static func word(_ failure: CommandFailure?) -> String { failure == nil ? "CAPTURED" : "CAPTURE OPEN" }

    func execute() async throws {
        let (after, host) = try await play { till, settings in
            let before = try await till.payment(payment.id).payment
            let part = try amount.map { try settings.amount($0, currency: before.amount.currency.code) }
            let after = try await till.capture(payment.id, amount: part)
            // The host has acted: what can't be read now is no failure.
            return (after, try? await till.payment(payment.id).sale)
        }
        let failure = CommandFailure(capture: after, host?.lastError)
        Outcome.tell { () throws(CommandFailure) in
            let word = Self.word(failure)
            try output.write(
                OutcomeView(
                    payment: after, failure: failure, host: host?.hostName, hostName: host?.memberName
                ).json,
                text: "\(word)  \(after.amount)  \(after.name)\n")
        }
        try Outcome.end(failure)
    }
}

/// `payments cancel`
struct CancelPayment: PaymentChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel a pre-authorization.",
        discussion: """
            EXAMPLES:
              cardpresent payments cancel P000001
              cardpresent payments cancel P000001 --json
              cardpresent payments cancel P000001 --host-trace host.jsonl

            Gives back all that 'cardpresent pay --authorize-only' holds, with every increment, by a reversal. Exit code \
            4 means that the host has not confirmed it yet, and 'cardpresent payments recover' sends it again. When the \
            host answers with a code that refuses it, the error says so.

            A payment that is captured can't be canceled: refund it with 'cardpresent refund'. One that is canceled \
            already stays as it is, and ends with exit code 64, as other repeats do.
            """)

    @Argument(help: "Payment ID, for example P000001.")
    var payment: PaymentName
    @OptionGroup var change: PaymentChangeOptions

    /// Returns the first word of the text.
    static func word(_ failure: CommandFailure?) -> String { failure == nil ? "CANCELED" : "CANCELLATION OPEN" }

    /// Returns `outcome` of the JSON.
    static func outcome(_ failure: CommandFailure?) -> String { failure == nil ? "cancelled" : "unknown" }

    func execute() async throws {
        let (after, host) = try await play { till, _ in
            let after = try await till.cancelPreauthorization(payment.id)
            // The host has acted: what can't be read now is no failure.
            return (after, try? await till.payment(payment.id).sale)
        }
        let failure = CommandFailure(cancellation: after, host?.lastError)
        Outcome.tell { () throws(CommandFailure) in
            let word = Self.word(failure)
            try output.write(
                JSONObject(
                    ["outcome": Self.outcome(failure), "payment": after.json],
                    known: ["error": failure?.json, "host": host?.hostName, "hostName": host?.memberName]),
                text: "\(word)  \(after.amount)  \(after.name)\n")
        }
        try Outcome.end(failure)
    }
}

extension CommandFailure {
    /// Creates the failure of a capture that the host has not taken yet; nil when it has.
    init?(capture payment: Payment, _ reason: String?) {
        guard !payment.state.isCaptured else { return nil }
        self.init(open: "the capture of \(payment.amount)", "capture", reason, fix: "do not charge again; ")
    }

    /// Creates the failure of a cancellation that the host has not confirmed yet; nil when it has.
    init?(cancellation payment: Payment, _ reason: String?) {
        guard payment.state != .reversed else { return nil }
        self.init(open: "the cancellation of \(payment.amount)", "cancellation", reason, fix: "")
    }

    /// Creates the failure of a message that the host must get, and has not confirmed: it refused it with a code, or
    /// did not answer.
    private init(open message: String, _ word: String, _ reason: String?, fix: String) {
        let isRefused = reason.map(PaymentHostError.tellsOfRefusal) ?? false
        self.init(
            .outcomeUnknown, code: isRefused ? "\(word)_refused" : "unknown",
            message: "\(message) is still open" + (reason.map { ": \($0)" } ?? ""),
            fix: fix
                + (isRefused
                    ? "it stays open, and 'cardpresent payments recover' sends it again: ask the acquirer when the host "
                        + "keeps refusing it"
                    : "run 'cardpresent payments recover' to send it again"))
    }

    /// Creates the failure of a capture, an increment, or a cancellation when nothing is held.
    init(_ payment: PaymentID, _ standing: PreauthorizationStanding, message: String) {
        switch standing {
        case .held: self.init(.usage, code: "invalid_amount", message: message)
        case .captured:
            self.init(
                .usage, code: "already_captured", message: message,
                fix: "give the money back with 'cardpresent refund \(payment)'")
        case .canceled: self.init(.usage, code: "already_cancelled", message: message)
        case .open: self.init(.tryAgain, code: "not_capturable", splitting: message)
        case .outdated: self.init(.tryAgain, code: "not_capturable", splitting: message)
        case .none:
            self.init(
                .usage, code: "not_capturable", message: message,
                fix: "'cardpresent payments list --status authorized' lists what is held")
        }
    }
}

extension Preauthorization {
    /// The pre-authorization, as JSON. Amounts are in minor units.
    var json: JSONObject {
        let object: JSONObject = [
            "authorized": authorized.minorUnits, "captured": captured?.minorUnits, "expiresAt": expiresAt.description,
            // What was added and approved, oldest first. The authorized amount has it.
            "increments": increments.map { increment -> JSONObject in
                ["amount": increment.amount.minorUnits, "approvedAt": increment.approvedAt.description]
            },
        ]
        return object.amounts(in: authorized.currency)
    }
}

extension PaymentHistory {
    /// The last attempt to take the payment.
    var sale: PaymentAttempt? { attempts.last { $0.attempt.kind == .sale }?.attempt }
}

extension Payment {
    /// The words of a list about a pre-authorization or a partial approval; nil when there is neither.
    var amountNote: String? {
        let part = requestedAmount.map { "a part of \($0)" }
        guard let preauthorization else { return part }
        let hold: String? =
            switch standing {
            case .held:
                "pre-authorization, expires \(preauthorization.expiresAt.secondText)"
                    + (preauthorization.increments.isEmpty ? "" : ", raised")
            case .captured: "captured of \(preauthorization.authorized)"
            case .canceled, .open, .outdated, .none: "pre-authorization"
            }
        return [hold, part].compactMap(\.self).joined(separator: ", ")
    }
}

extension Till {
    func capture(_ id: PaymentID, amount: Money?) async throws(CommandFailure) -> Payment {
        try await stores.value {
            CardPresentPaymentsAction.capturePreauthorization(paymentID: id, amount: amount, onCompletion: $0)
        }
    }

    func cancelPreauthorization(_ id: PaymentID) async throws(CommandFailure) -> Payment {
        try await stores.value {
            CardPresentPaymentsAction.cancelPreauthorization(paymentID: id, onCompletion: $0)
        }
    }
}

internal import ArgumentParser
internal import Determinism
internal import Money
internal import Payments
internal import Yosemite

/// `payments capture`
struct CapturePayment: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture", abstract: "Capture a pre-authorization, or a part of it.",
        discussion: """
            EXAMPLES:
              cardpresent payments capture P000001
              cardpresent payments capture P000001 --amount 80.00

            Takes what 'cardpresent pay --authorize-only' holds, once: without --amount all of it, otherwise a part, and \
            the rest becomes free. The journal has the capture before it is sent, and the host gets it until it has \
            accepted it: exit code 4 means that it has not yet, and 'cardpresent payments recover' sends it again.

            A payment that is captured already stays as it is, and ends with exit code 64, as other repeats do.
            """)

    @Argument(help: "Payment ID, for example P000001.")
    var payment: PaymentName
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Amount to capture, as a decimal in the payment's currency.", valueName: "decimal"))
    var amount: String?
    @OptionGroup var determinism: DeterminismOptions
    @OptionGroup var issuer: IssuerOptions
    @OptionGroup var options: CommonOptions

    static let hasOutcome = true

    func execute() async throws {
        let settings = try options.till.settings()
        let rules = try issuer.rules()
        let (after, host) = try await determinism.play {
            let till = try await options.till.open(
                for: Self.databaseUse, settings, determinism.repeatability, rules: rules)
            try till.stopIfRestored()
            let before = try await till.payment(payment.id).payment
            let part = try amount.map { try settings.amount($0, currency: before.amount.currency.code) }
            let after = try await till.capture(payment.id, amount: part)
            return (after, try await till.payment(payment.id).attempts.last?.attempt)
        }
        let failure = CommandFailure(capture: after, host?.lastError)
        Outcome.tell { () throws(CommandFailure) in
            let word = failure == nil ? "CAPTURED" : "CAPTURE OPEN"
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
struct CancelPayment: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel a pre-authorization.",
        discussion: """
            EXAMPLES:
              cardpresent payments cancel P000001
              cardpresent payments cancel P000001 --json

            Gives back all that 'cardpresent pay --authorize-only' holds, with a reversal. Exit code 4 means that the \
            host has not confirmed it yet, and 'cardpresent payments recover' sends it again.

            A payment that is captured can't be canceled: refund it with 'cardpresent refund'. One that is canceled \
            already stays as it is, and ends with exit code 64, as other repeats do.
            """)

    @Argument(help: "Payment ID, for example P000001.")
    var payment: PaymentName
    @OptionGroup var determinism: DeterminismOptions
    @OptionGroup var issuer: IssuerOptions
    @OptionGroup var options: CommonOptions

    func execute() async throws {
        let settings = try options.till.settings()
        let rules = try issuer.rules()
        let (after, host) = try await determinism.play {
            let till = try await options.till.open(
                for: Self.databaseUse, settings, determinism.repeatability, rules: rules)
            try till.stopIfRestored()
            let after = try await till.cancelPreauthorization(payment.id)
            return (after, try await till.payment(payment.id).attempts.last?.attempt)
        }
        let failure: CommandFailure? =
            after.state == .reversed
            ? nil
            : CommandFailure(
                .outcomeUnknown, code: "unknown", message: host?.lastError ?? "the host has not confirmed it",
                fix: "run 'cardpresent payments recover' to send the reversal again")
        Outcome.tell { () throws(CommandFailure) in
            let word = failure == nil ? "CANCELED" : "CANCELLATION OPEN"
            try output.write(
                JSONObject(
                    ["outcome": failure == nil ? "cancelled" : "unknown", "payment": after.json],
                    known: ["error": failure?.json, "host": host?.hostName, "hostName": host?.memberName]),
                text: "\(word)  \(after.amount)  \(after.name)\n")
        }
        try Outcome.end(failure)
    }
}

extension CommandFailure {
    /// Creates the failure of a capture that the host has not taken yet; nil when it has.
    fileprivate init?(capture payment: Payment, _ reason: String?) {
        guard !payment.state.isCaptured else { return nil }
        self.init(
            .outcomeUnknown, code: "unknown",
            message: "the host has not taken the capture of \(payment.amount) yet" + (reason.map { ": \($0)" } ?? ""),
            fix: "do not charge again; run 'cardpresent payments recover' to send it again")
    }

    /// Creates the failure of a capture or a cancellation when nothing is held.
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
        (["authorized": authorized.minorUnits, "captured": captured?.minorUnits, "expiresAt": expiresAt.description]
            as JSONObject).amounts(in: authorized.currency)
    }
}

extension Payment {
    /// The words of a list about a pre-authorization or a partial approval; nil when there is neither.
    var amountNote: String? {
        let part = requestedAmount.map { "a part of \($0)" }
        guard let preauthorization else { return part }
        let hold: String? =
            switch standing {
            case .held: "pre-authorization, expires \(preauthorization.expiresAt.secondText)"
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

import ArgumentParser
import TillConfiguration

/// Options of a command that changes a payment at its host.
struct PaymentChangeOptions: ParsableArguments {
    @OptionGroup var determinism: DeterminismOptions
    @OptionGroup var trace: HostTraceOptions
    @OptionGroup var issuer: IssuerOptions
    @OptionGroup var common: CommonOptions
}

/// A command that changes a payment at its host, without the card: it refunds, captures, raises, or cancels.
protocol PaymentChangeCommand: TillCommand, ChangingCommand {
    var change: PaymentChangeOptions { get }
}

extension PaymentChangeCommand {
    var options: CommonOptions { change.common }

    /// Opens the till, and does something in it: in a simulated world if the options say so, and with the trace of the
    /// messages to the host.
    ///
    /// - Parameter work: what to do with the till and its configuration.
    /// - Returns: the value of `work`.
    /// - Throws: `CommandFailure` when the till can't be opened; the errors of `work`.
    func play<Value: Sendable>(
        _ work: @escaping @Sendable (_ till: Till, _ settings: TillConfiguration) async throws -> Value
    ) async throws -> Value {
        let settings = try options.till.settings()
        let rules = try change.issuer.rules()
        let hostTrace = try change.trace.open(settings)
        defer { hostTrace?.warn() }
        let (options, determinism, use) = (options, change.determinism, Self.databaseUse)
        return try await determinism.play {
            let till = try await options.till.open(
                for: use, settings, determinism.repeatability, rules: rules, hostTrace: hostTrace)
            try till.stopIfRestored()
            return try await work(till, settings)
        }
    }
}

import ArgumentParser
import Payments
import TillConfiguration

/// `--host`
struct HostOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Only this one of several configured hosts: a name in 'hosts', or 'default'. Default: all.",
            valueName: "name"))
    var host: String?

    /// Returns the hosts that the command is about.
    ///
    /// - Throws: `CommandFailure` when the configuration has no such host.
    func choose(from settings: TillConfiguration) throws(CommandFailure) -> [NamedAcquirer] {
        guard let host else { return settings.acquirers }
        guard let found = settings.acquirers.first(where: { $0.name == host }) else {
            let names = settings.acquirers.map(\.name)
            throw CommandFailure(
                .usage, code: "unknown_host_name", message: "the configuration has no host called '\(host)'",
                fix: names.isEmpty
                    ? "leave out --host, or configure hosts with host.kind: iso8583"
                    : String.choice(of: host, among: names, called: "give one of"))
        }
        return [found]
    }
}

extension PaymentAttempt {
    /// The name of the host that has the attempt, among several; nil for one host only, and before anything was sent.
    var memberName: String? { identity?.host }

    /// The trace number (field 11) of the attempt's message; that of the attempt while the journal has no message.
    var traceNumber: Int64 { identity?[11].flatMap { Int64($0) } ?? Int64(stan) }

    /// The host for people: the kind, or the name among several with the address.
    var hostText: String {
        guard let identity, let name = identity.host else { return hostName }
        return name + (identity.destination.map { " (\($0))" } ?? "")
    }
}

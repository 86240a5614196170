internal import ArgumentParser
internal import Yosemite

/// A payment as it is named on the command line: `P000001`, `p1` or `1`.
struct PaymentName: ExpressibleByArgument, Hashable, Sendable {
    let id: Int64

    init?(argument: String) {
        guard let id = Payment.id(named: argument) else { return nil }
        self.id = id
    }
}

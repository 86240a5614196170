internal import ArgumentParser
internal import Yosemite

/// A print as it is named on the command line: `J000001`, `j1` or `1`.
struct PrintName: ExpressibleByArgument, Hashable, Sendable {
    let id: Int64

    init?(argument: String) {
        guard let id = ReceiptPrint.id(named: argument) else { return nil }
        self.id = id
    }
}

internal import ArgumentParser

/// An order as it is named on the command line: its id, `12` or `#12`.
struct OrderName: ExpressibleByArgument, Hashable, Sendable {
    let id: Int64

    init?(argument: String) {
        let digits = argument.first == "#" ? argument.dropFirst() : argument[...]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let id = Int64(digits), id > 0 else { return nil }
        self.id = id
    }

    static let help: ArgumentHelp = "The id of the order, as 'cardpresent orders list' shows it."
}

internal import ArgumentParser
internal import Hardware

/// Where a till stands.
struct RegionChoice: ExpressibleByArgument, Sendable {
    let region: ReceiptRegion

    init?(argument: String) {
        guard let region = ReceiptRegion(rawValue: argument) else { return nil }
        self.region = region
    }

    static var allValueStrings: [String] { ReceiptRegion.allCases.map(\.rawValue) }
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
